import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { writeModule } from '../../support/node-module.ts';
import { startServer, type TestServer } from '../../support/server.ts';

/** What published modules do although no document speaks of it. Each set answers at its own path. */
const sets = {
  // @flowfuse/node-red-dashboard looks for widgets beside the program; others require packages by it.
  main: `RED.httpNode.get('/main', (q, r) => r.json({
    paths: require.main.paths.length > 0,
    file: require('node:path').isAbsolute(require.main.filename),
    self: require.main === module,
    requires: typeof require.main.require('express') === 'function',
  }));`,
  // @flowfuse/node-red-dashboard asks the server that it runs in.
  asks: `RED.httpNode.get('/asks', async (q, r) => {
    const { uiHost, uiPort, httpAdminRoot } = RED.settings;
    const answer = await fetch('http://' + (uiHost === '0.0.0.0' ? 'localhost' : uiHost) + ':' + uiPort + httpAdminRoot + 'flows');
    r.json((await answer.json()).length);
  });`,
  // node-red-contrib-uibuilder adds to RED.util, for function nodes.
  extends: `RED.util.added = () => 'added';`,
  // node-red-contrib-web-worldmap takes its own routes out when it is closed.
  routes: `RED.httpNode.get('/gone', (q, r) => r.send('here'));
    RED.httpNode.get('/take', (q, r) => {
      const { stack } = RED.httpNode._router;
      for (let i = stack.length - 1; i >= 0; i--) if (stack[i].route?.path === '/gone') stack.splice(i, 1);
      r.send('taken');
    });`,
};
/** What transpilers make of an asynchronous default export, as in node-red-contrib-home-assistant-websocket. */
const transpiled = `Object.defineProperty(exports, '__esModule', { value: true });
exports.default = async (RED) => { await null; RED.httpNode.get('/transpiled', (q, r) => r.send('yes')); };`;
/** A module whose code counts how often it is loaded, and how often it is called. */
const shares = `let calls = 0;
module.exports = () => { calls++; };
module.exports.seen = () => ({ loads: (globalThis.loadsOfShares ??= 0), calls });
globalThis.loadsOfShares = (globalThis.loadsOfShares ?? 0) + 1;`;

const userDir = mkdtempSync(join(tmpdir(), 'sluice-habits-'));
let server: TestServer;
beforeAll(async () => {
  writeModule(join(userDir, 'node_modules', 'habits'), {
    name: 'habits',
    sets: {
      ...sets,
      // node-red-contrib-ui-led has the dashboard by RED.require, and needs the instance that its nodes use.
      borrows: `RED.httpNode.get('/borrows', (q, r) => r.json(RED.require('shares').seen()));`,
    },
    files: { 'transpiled.js': transpiled },
    manifest: {
      'node-red': {
        nodes: Object.fromEntries(
          [...Object.keys(sets), 'transpiled', 'borrows'].map((set) => [set, `${set}.js`]),
        ),
      },
    },
  });
  writeModule(join(userDir, 'node_modules', 'shares'), {
    name: 'shares',
    files: { 'shares.js': shares },
    manifest: { main: 'shares.js', 'node-red': { nodes: { shares: 'shares.js' } } },
    sets: {},
  });
  const func = 'msg.payload = RED.util.added(); return msg;';
  server = await startServer({
    userDir,
    flows: [
      { id: 't', type: 'tab', label: 't' },
      { id: 'i', type: 'http in', z: 't', url: '/extends', method: 'get', wires: [['f']] },
      { id: 'f', type: 'function', z: 't', func, wires: [['o']] },
      { id: 'o', type: 'http response', z: 't', wires: [] },
    ],
  });
});
afterAll(async () => {
  await server?.[Symbol.asyncDispose]();
  rmSync(userDir, { recursive: true, force: true, maxRetries: 3 });
});

it('require.main is a module, with file and paths', async () => {
  expect((await server.get('/main')).body).toEqual({ paths: true, file: true, self: false, requires: true });
});

it('a module can ask the server that it runs in, by the settings', async () => {
  expect((await server.get('/asks')).body).toBe(4);
});

it('what a module adds to RED.util is there in function nodes', async () => {
  expect((await server.get('/extends')).text).toBe('added');
});

it('routes can be taken out of the stack of the router', async () => {
  expect((await server.get('/gone')).text).toBe('here');
  expect((await server.get('/take')).text).toBe('taken');
  expect((await server.get('/gone')).status).toBe(404);
});

it('an asynchronous default export of a transpiled module is awaited', async () => {
  expect((await server.get('/transpiled')).text).toBe('yes');
});

it('RED.require gives the instance that was loaded', async () => {
  expect((await server.get('/borrows')).body).toEqual({ loads: 1, calls: 1 });
});
