/**
 * Node's `http` and `https`. An import by name would make the module loader look at every member, `WebSocket` among them,
 * and so load `fetch` and all that it needs: 20 ms of a start.
 */
export const http = process.getBuiltinModule('node:http');
export const https = process.getBuiltinModule('node:https');
