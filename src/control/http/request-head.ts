import type { IncomingMessage } from 'node:http';

/** Headers that concern one connection (RFC 9110, 7.6.1), and `expect`, which the server has answered. */
const ofConnection: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'transfer-encoding',
  'te',
  'trailer',
  'upgrade',
  'expect',
]);
const lengths: ReadonlySet<number> = new Set([...ofConnection].map((name) => name.length));

/** How a request's body comes, as Node's server has checked it. */
export type RequestBody = 'none' | 'sized' | 'chunked';

/** How the body of a request comes. */
export function bodyOf(req: IncomingMessage): RequestBody {
  if (req.headers['transfer-encoding'] !== undefined) return 'chunked';
  const length = req.headers['content-length'];
  return length === undefined || length === '0' ? 'none' : 'sized';
}

/**
 * The head of a request as the engine gets it: the client's headers as they were sent, but for those of the connection,
 * and the plane header as the last.
 * @param plane - name and value of the plane header
 */
export function requestHead(req: IncomingMessage, body: RequestBody, plane: string): string {
  let head = `${req.method} ${req.url} HTTP/1.1\r\n`;
  const raw = req.rawHeaders;
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = raw[i] ?? '';
    const value = raw[i + 1] ?? '';
    // `Connection: keep-alive` is true of this connection as well; any other wish is not.
    if (lengths.has(name.length)) {
      const lower = name.toLowerCase();
      if (ofConnection.has(lower) && !(lower === 'connection' && value === 'keep-alive')) continue;
    }
    head += `${name}: ${value}\r\n`;
  }
  if (body === 'chunked') head += 'Transfer-Encoding: chunked\r\n';
  return `${head}${plane}\r\n\r\n`;
}

/** The head of a request that asks to change the protocol: nothing is left out. */
export function upgradeHead(req: IncomingMessage, plane: string): string {
  let head = `${req.method} ${req.url} HTTP/1.1\r\n`;
  const raw = req.rawHeaders;
  for (let i = 0; i + 1 < raw.length; i += 2) head += `${raw[i]}: ${raw[i + 1]}\r\n`;
  return `${head}${plane}\r\n\r\n`;
}
