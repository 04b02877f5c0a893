import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, request, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hash } from '@node-rs/bcrypt';
import type express from 'express';
import type { Request } from 'express';
import { describe, expect, it } from 'vitest';
import WebSocket, { WebSocketServer } from 'ws';
import type { Principal } from '../../src/control/auth/principal.ts';
import { EngineProxy } from '../../src/control/http/engine-proxy.ts';
import { Unauthorized } from '../../src/control/http/refusals.ts';
import { EngineHttp } from '../../src/engine/http/engine-http.ts';
import { silentLogger } from '../../src/logging/logger.ts';
import { compileSettings } from '../../src/settings/settings.ts';
import { waitFor } from '../support/server.ts';

const secret = 'the-secret';
const principals: { readonly [token: string]: Principal } = {
  reader: { scope: ['*.read'], user: { username: 'zoë', permissions: ['*.read'] }, anonymous: false },
  admin: { scope: ['*'], user: { username: 'root', permissions: ['*'] }, anonymous: false },
};

/** Both sides of the proxy in this process: a port as the control plane has it, and the engine's applications. */
class Rig implements AsyncDisposable {
  readonly http: EngineHttp;
  readonly folder: string;
  readonly engine: { state: { is: string }; http: { socketPath: string; secret: string } | undefined };
  readonly #server: Server;
  readonly #proxy: EngineProxy;
  #tell: (state: { is: string }) => void = () => {};

  static async open(file: object = {}): Promise<Rig> {
    const rig = new Rig(file);
    await rig.http.listen(rig.engine.http?.socketPath ?? '');
    rig.#server.listen(0, '127.0.0.1');
    await once(rig.#server, 'listening');
    return rig;
  }

  private constructor(file: object) {
    this.folder = mkdtempSync(join(tmpdir(), 'sluice-http-'));
    const settings = compileSettings(file, { userDir: this.folder, overrides: {} });
    this.http = new EngineHttp({ settings, log: silentLogger, secret });
    this.engine = { state: { is: 'running' }, http: { socketPath: join(this.folder, 'e.sock'), secret } };
    this.#proxy = new EngineProxy({
      engine: Object.assign(this.engine, {
        on: (_: 'state', listener: (state: { is: string }) => void) => {
          this.#tell = listener;
          return () => {};
        },
      }),
      adminAuth: settings.adminAuth,
      log: silentLogger,
      auth: {
        identify: (headers) => {
          const principal = principals[headers.authorization?.slice(7) ?? ''];
          if (!principal) throw Unauthorized.badToken();
          return principal;
        },
      },
    });
    this.#server = createServer((req, res) => this.#proxy.request(req, res));
    this.#server.on('upgrade', (req, socket, head) => this.#proxy.upgrade(req, socket, head));
  }

  become(is: string): void {
    this.engine.state = { is };
    this.#tell(this.engine.state);
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  fetch(path: string, init?: RequestInit): Promise<Response> {
    return fetch(`http://127.0.0.1:${this.port}${path}`, init);
  }

  /** Sends bytes, and gives all that comes back until the connection ends (or a text has come). */
  async raw(text: string, until?: string): Promise<string> {
    const socket = connect(this.port, '127.0.0.1');
    socket.write(text, 'latin1');
    let got = '';
    for await (const chunk of socket) {
      got += chunk.toString('latin1');
      if (until !== undefined && got.includes(until)) break;
    }
    return got;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#proxy.close();
    this.#server.close();
    this.#server.closeAllConnections();
    await this.http.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

async function codeOf(reply: Response): Promise<unknown> {
  const body = (await reply.json()) as { code?: unknown };
  return body.code;
}

/** Reads a body that nobody parsed. */
async function bodyOf(req: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of req) text += chunk;
  return text;
}

const adminAuth = { adminAuth: { users: [] } };

describe('a request for a node, through the shared port', () => {
  it('reaches it as the client sent it', async () => {
    await using rig = await Rig.open();
    rig.http.httpNode.all('/echo', (req, res) => {
      res.json({
        method: req.method,
        url: req.originalUrl,
        raw: req.rawHeaders,
        distinct: req.headersDistinct,
        names: Object.keys(req.headers),
        ip: req.ip,
        protocol: req.protocol,
        secure: req.secure,
        hostname: req.hostname,
        remote: [req.connection.remoteAddress, req.socket.remoteFamily, typeof req.socket.remotePort],
      });
    });
    const text = await rig.raw(
      'PUT /echo?a=%20b HTTP/1.1\r\nHost: example.org:99\r\nX-Twice: 1\r\nx-twice: 2\r\nX-Forwarded-For: 1.2.3.4\r\n' +
        `X-Plane: x\r\nx-plane-other: 8.8.8.8 1 s\r\nConnection: close\r\n\r\n`,
    );
    const sent = ['Host', 'example.org:99', 'X-Twice', '1', 'x-twice', '2', 'X-Forwarded-For', '1.2.3.4'];
    expect(JSON.parse(text.slice(text.indexOf('\r\n\r\n')))).toEqual({
      method: 'PUT',
      url: '/echo?a=%20b',
      raw: [...sent, 'X-Plane', 'x', 'x-plane-other', '8.8.8.8 1 s'],
      distinct: {
        host: ['example.org:99'],
        'x-twice': ['1', '2'],
        'x-forwarded-for': ['1.2.3.4'],
        'x-plane': ['x'],
        'x-plane-other': ['8.8.8.8 1 s'],
      },
      names: ['host', 'x-twice', 'x-forwarded-for', 'x-plane', 'x-plane-other'],
      ip: '127.0.0.1',
      protocol: 'http',
      secure: false,
      hostname: 'example.org',
      remote: ['127.0.0.1', 'IPv4', 'number'],
    });
  });

  it('trusts forwarded addresses where httpServerOptions say so', async () => {
    await using rig = await Rig.open({ httpServerOptions: { 'trust proxy': true } });
    rig.http.httpNode.get('/ip', (req, res) => void res.send(`${req.ip} ${req.protocol}`));
    const headers = { 'x-forwarded-for': '1.2.3.4', 'x-forwarded-proto': 'https' };
    expect(await (await rig.fetch('/ip', { headers })).text()).toBe('1.2.3.4 https');
  });

  it('carries bodies of every kind, both ways', async () => {
    await using rig = await Rig.open();
    rig.http.httpNode.post('/back', (req, res) => {
      res.status(202).set('X-Length', req.headers['content-length'] ?? 'none');
      req.pipe(res);
    });
    const large = 'grüße '.repeat(500_000);
    const sized = await rig.fetch('/back', { method: 'POST', body: large });
    expect([sized.status, sized.headers.get('x-length')]).toEqual([202, String(Buffer.byteLength(large))]);
    expect((await sized.text()) === large).toBe(true);
    const stream = new ReadableStream({
      start(controller) {
        for (let i = 0; i < 50; i++) controller.enqueue(new TextEncoder().encode(`${i},`));
        controller.close();
      },
    });
    // `duplex` is what fetch wants for a streamed body; the types do not know it.
    const chunked = await rig.fetch('/back', { method: 'POST', body: stream, duplex: 'half' } as RequestInit);
    expect(chunked.headers.get('x-length')).toBe('none');
    expect(await chunked.text()).toBe(Array.from({ length: 50 }, (_, i) => `${i},`).join(''));
  });

  it('gives responses of every kind', async () => {
    await using rig = await Rig.open();
    const { httpNode } = rig.http;
    httpNode.get('/none', (_, res) => void res.status(204).end());
    httpNode.get('/cookies', (_, res) => {
      res.append('Set-Cookie', 'a=1').append('Set-Cookie', 'b=2').statusMessage = 'So Be It';
      res.status(299).send('x');
    });
    httpNode.get('/chunks', (_, res) => {
      res.write('one ');
      setTimeout(() => res.end('two'), 20);
    });
    httpNode.get('/close', (_, res) => void res.set('Connection', 'close').send('bye'));
    httpNode.get('/hints', (_, res) => {
      res.writeEarlyHints({ link: '</style.css>; rel=preload' });
      res.send('hinted');
    });
    expect((await rig.fetch('/none')).status).toBe(204);
    const cookies = await rig.fetch('/cookies');
    expect([cookies.status, cookies.statusText]).toEqual([299, 'So Be It']);
    expect(cookies.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
    const head = await rig.fetch('/cookies', { method: 'HEAD' });
    expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([299, '1', '']);
    expect(await (await rig.fetch('/chunks')).text()).toBe('one two');
    const close = await rig.fetch('/close');
    expect([close.headers.get('connection'), await close.text()]).toEqual(['close', 'bye']);
    expect(await rig.raw('GET /chunks HTTP/1.0\r\n\r\n')).toMatch(
      /^HTTP\/1\.1 200 OK\r\n[\s\S]*\r\n\r\none two$/,
    );
    const hints = request({ port: rig.port, path: '/hints' }).end();
    const [[information], [response]] = await Promise.all([
      once(hints, 'information'),
      once(hints, 'response'),
    ]);
    expect(information).toMatchObject({ statusCode: 103, headers: { link: '</style.css>; rel=preload' } });
    expect(await bodyOf(response)).toBe('hinted');
  });

  it('answers several requests on one connection in order, and `Expect: 100-continue` first', async () => {
    await using rig = await Rig.open();
    rig.http.httpNode.get('/n/:n', (req, res) => {
      setTimeout(() => res.send(`<${req.params.n}>`), 30 - 10 * Number(req.params.n));
    });
    const get = (n: number) => `GET /n/${n} HTTP/1.1\r\nHost: x\r\n\r\n`;
    const text = await rig.raw(get(1) + get(2) + get(3), '<3>');
    expect(text.match(/<\d>/g)).toEqual(['<1>', '<2>', '<3>']);
    rig.http.httpNode.post('/size', async (req, res) => void res.send(`${(await bodyOf(req)).length}!`));
    const expecting = await rig.raw(
      'POST /size HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\nabc',
      '3!',
    );
    expect(expecting).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK/);
  });

  it('keeps one request one request', async () => {
    await using rig = await Rig.open();
    const seen: string[] = [];
    rig.http.httpNode.use(async (req, res) => {
      seen.push(`${req.method} ${req.url} ${await bodyOf(req)}`);
      res.send('ok');
    });
    const hidden = 'GET /hidden HTTP/1.1\r\nHost: x\r\n\r\n';
    for (const head of [
      `Content-Length: ${hidden.length}\r\nTransfer-Encoding: chunked`,
      'Transfer-Encoding: xchunked',
      'Content-Length: 0\r\nContent-Length: 5',
      'Transfer-Encoding : chunked',
      'Content-Length: +5',
    ]) {
      const text = await rig.raw(
        `POST /a HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${head}\r\n\r\n${hidden}`,
      );
      expect(text, head).toMatch(/^HTTP\/1\.1 400 /);
    }
    expect(seen).toEqual([]);
    const connection = 'Connection: close, content-length, transfer-encoding';
    const framed = `POST /b HTTP/1.1\r\nHost: x\r\n${connection}\r\nContent-Length: ${hidden.length}\r\n\r\n${hidden}`;
    expect(await rig.raw(framed)).toMatch(/^HTTP\/1\.1 200 /);
    const chunk = `${hidden.length.toString(16)}\r\n${hidden}\r\n0\r\n\r\n`;
    await rig.raw(
      `POST /c HTTP/1.1\r\nHost: x\r\n${connection}\r\nTransfer-Encoding: chunked\r\n\r\n${chunk}`,
    );
    expect(seen).toEqual([`POST /b ${hidden}`, `POST /c ${hidden}`]);
  });

  it('ends for the node when the client goes, and for the client when the node breaks off', async () => {
    await using rig = await Rig.open();
    const gone: string[] = [];
    rig.http.httpNode.get('/wait', (req, res) => {
      gone.push('asked');
      req.on('close', () => gone.push('request'));
      res.on('close', () => gone.push('response'));
    });
    rig.http.httpNode.get('/break', (req, res) => {
      res.write('half');
      setTimeout(() => req.socket.destroy(), 20);
    });
    rig.http.httpNode.get('/hang-up', (req) => void req.socket.destroy());
    const caller = new AbortController();
    const waiting = rig.fetch('/wait', { signal: caller.signal });
    await waitFor(() => gone.length > 0);
    caller.abort();
    await expect(waiting).rejects.toThrow();
    await waitFor(() => gone.includes('request') && gone.includes('response'));
    await expect((await rig.fetch('/break')).text()).rejects.toThrow();
    expect((await rig.fetch('/hang-up')).status).toBe(503);
  });

  it('does not let the engine pile up what the client does not read, nor the reverse', async () => {
    await using rig = await Rig.open();
    let written = 0;
    rig.http.httpNode.get('/flood', (_, res) => {
      const more = (): void => {
        while (written < 200 << 20 && !res.destroyed) {
          written += 1 << 16;
          if (!res.write(Buffer.alloc(1 << 16))) {
            res.once('drain', more);
            return;
          }
        }
      };
      more();
    });
    const socket = connect(rig.port, '127.0.0.1').pause();
    socket.write('GET /flood HTTP/1.1\r\nHost: x\r\n\r\n');
    let before = -1;
    await waitFor(async () => {
      const still = written === before && written > 0;
      before = written;
      await new Promise((resolve) => setTimeout(resolve, 100));
      return still;
    });
    expect(written).toBeLessThan(64 << 20);
    socket.destroy();
  });

  it('is a 404 in JSON where nothing is, and an error of its own where a handler fails', async () => {
    await using rig = await Rig.open();
    rig.http.httpNode.get('/fails', () => {
      throw new Error('a secret');
    });
    const nothing = await rig.fetch('/nothing');
    expect([nothing.status, await nothing.json()]).toEqual([
      404,
      { code: 'not_found', message: 'Not found' },
    ]);
    const failed = await rig.fetch('/fails');
    expect(failed.status).toBe(500);
    const text = await failed.text();
    expect(JSON.parse(text).code).toBe('internal_error');
    expect(text).not.toContain('secret');
  });

  it('gets its answer also where nobody takes all of it, and the connection goes on', async () => {
    await using rig = await Rig.open();
    rig.http.httpNode.post('/no', (_, res) => void res.status(413).send('too much'));
    const length = 32 << 20;
    const head = `POST /no HTTP/1.1\r\nHost: x\r\nContent-Length: ${length}\r\n\r\n`;
    const next = 'GET /next HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
    const text = head + 'x'.repeat(length) + next;
    expect(await rig.raw(text)).toMatch(/^HTTP\/1\.1 413 [\s\S]*too muchHTTP\/1\.1 404 /);
    rig.engine.http = { socketPath: join(rig.folder, 'other.sock'), secret };
    expect(await rig.raw(text)).toMatch(/^HTTP\/1\.1 503 [\s\S]*HTTP\/1\.1 503 /);
  });

  it('fails with a 503 while there is no engine, or one that does not respond', async () => {
    await using rig = await Rig.open();
    rig.http.httpNode.get('/wait', () => {});
    const waiting = rig.fetch('/wait');
    await new Promise((resolve) => setTimeout(resolve, 100));
    rig.become('unresponsive');
    for (const reply of [await waiting, await rig.fetch('/wait')]) {
      expect([reply.status, await codeOf(reply)]).toEqual([503, 'engine.unresponsive']);
    }
    rig.become('starting');
    expect(await codeOf(await rig.fetch('/wait'))).toBe('engine.starting');
    rig.become('crashed');
    for (const address of [{ socketPath: join(rig.folder, 'other.sock'), secret }, undefined]) {
      rig.engine.http = address;
      const reply = await rig.fetch('/wait', { method: 'POST', body: 'x'.repeat(1_000_000) });
      expect([reply.status, await codeOf(reply)]).toEqual([503, 'engine.gone']);
      expect(reply.headers.get('retry-after')).toBe('1');
    }
  });
});

describe('the private socket', () => {
  it('serves nobody who does not know the secret', async () => {
    await using rig = await Rig.open();
    rig.http.httpNode.get('/x', (_, res) => void res.send('served'));
    for (const header of ['', 'x-plane-wrong: 1.1.1.1 1 -\r\n', `x-plane-${secret}x: 1.1.1.1 1 -\r\n`]) {
      const socket = connect(rig.engine.http?.socketPath ?? '');
      socket.write(`GET /x HTTP/1.1\r\nHost: x\r\n${header}\r\n`);
      let got = '';
      for await (const chunk of socket) got += chunk;
      expect(got).toBe('');
    }
  });
});

function nextMessage(ws: WebSocket): Promise<string> {
  return new Promise((resolve) => ws.once('message', (data) => resolve(String(data))));
}

describe('upgrades', () => {
  it('reach listeners on the server, with the client as it is', async () => {
    await using rig = await Rig.open();
    const sockets = new WebSocketServer({ noServer: true });
    rig.http.server.on('upgrade', (req: Request, socket, head) => {
      if (!req.url?.startsWith('/ws')) return;
      sockets.handleUpgrade(req, socket, head, (ws) => {
        ws.send(JSON.stringify([req.socket.remoteAddress, req.headers['x-mine'], req.rawHeaders.join()]));
        ws.on('message', (data) => ws.send(`echo ${data}`));
      });
    });
    const ws = new WebSocket(`ws://127.0.0.1:${rig.port}/ws?x=1`, { headers: { 'x-mine': 'yes' } });
    const [address, mine, raw] = JSON.parse(await nextMessage(ws));
    expect([address, mine]).toEqual(['127.0.0.1', 'yes']);
    expect(raw).not.toContain(secret);
    ws.send('hi');
    expect(await nextMessage(ws)).toBe('echo hi');
    ws.close();
    await once(ws, 'close');
    sockets.close();
  });

  it('that nobody takes are closed after inboundWebSocketTimeout', async () => {
    await using rig = await Rig.open({ inboundWebSocketTimeout: 50 });
    const ws = new WebSocket(`ws://127.0.0.1:${rig.port}/nobody`);
    const error = await new Promise((resolve) => ws.once('error', resolve));
    expect(String(error)).toMatch(/socket hang up|ECONNRESET/);
  });

  it('are refused while there is no engine', async () => {
    await using rig = await Rig.open();
    for (const address of [undefined, { socketPath: join(rig.folder, 'other.sock'), secret }]) {
      rig.engine.http = address;
      const ws = new WebSocket(`ws://127.0.0.1:${rig.port}/ws`);
      const status = await new Promise((resolve) =>
        ws.once('unexpected-response', (_, response) => resolve(response.statusCode)),
      );
      expect(status).toBe(503);
      ws.on('error', () => {});
      ws.terminate();
    }
  });
});

describe('node-owned admin routes', () => {
  const ask = async (rig: Rig, path: string, token?: string) => {
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const reply = await rig.fetch(path, { headers });
    return [reply.status, await reply.text(), reply.headers.get('www-authenticate')] as const;
  };

  it('are guarded by the permission that they ask for', async () => {
    await using rig = await Rig.open(adminAuth);
    const { httpAdmin, needsPermission } = rig.http;
    const show = (req: Request, res: express.Response) => void res.json(Object(req)['user'] ?? null);
    httpAdmin.get('/open', show);
    httpAdmin.get('/guarded', needsPermission('flows.read'), show);
    httpAdmin.get('/written', needsPermission('flows.write'), show);
    httpAdmin.get('/both', needsPermission(['flows.read', 'surf.write']), show);
    httpAdmin.get('/any', needsPermission(''), show);
    const zoë = JSON.stringify(principals['reader']?.user);
    expect(await ask(rig, '/open')).toEqual([200, 'null', null]);
    expect(await ask(rig, '/guarded')).toEqual([401, '', 'Bearer']);
    expect(await ask(rig, '/guarded', 'nobody')).toEqual([401, '', 'Bearer']);
    expect(await ask(rig, '/guarded', 'reader')).toEqual([200, zoë, null]);
    expect((await ask(rig, '/written', 'reader'))[0]).toBe(401);
    expect((await ask(rig, '/both', 'reader'))[0]).toBe(401);
    expect((await ask(rig, '/both', 'admin'))[0]).toBe(200);
    expect((await ask(rig, '/any', 'reader'))[0]).toBe(200);
    expect((await ask(rig, '/any'))[0]).toBe(401);
  });

  it('find what the token may do in req.authInfo', async () => {
    await using rig = await Rig.open(adminAuth);
    rig.http.httpAdmin.get(
      '/scope',
      rig.http.needsPermission(''),
      (req, res) => void res.json(Object(req)['authInfo']),
    );
    expect(await ask(rig, '/scope', 'reader')).toEqual([200, '{"scope":["*.read"]}', null]);
  });

  it('are open without adminAuth', async () => {
    await using rig = await Rig.open();
    rig.http.httpAdmin.get('/x', rig.http.needsPermission('x.write'), (_, res) => void res.send('open'));
    expect((await ask(rig, '/x'))[1]).toBe('open');
  });

  it('get parsed bodies, up to apiMaxLength', async () => {
    await using rig = await Rig.open({ httpAdminRoot: '/admin', apiMaxLength: '1kb' });
    rig.http.httpAdmin.post('/p', (req, res) => void res.json(req.body));
    rig.http.httpNode.post('/p', async (req, res) => void res.send(`raw ${await bodyOf(req)}`));
    const post = (path: string, body: string, type: string) =>
      rig.fetch(path, { method: 'POST', body, headers: { 'content-type': type } });
    const form = await post('/admin/p', 'a[b]=1&c=2', 'application/x-www-form-urlencoded');
    expect(await form.json()).toEqual({ a: { b: '1' }, c: '2' });
    expect(await (await post('/admin/p', '{"x":[1]}', 'application/json')).json()).toEqual({ x: [1] });
    const broken = await post('/admin/p', '{"x"', 'application/json');
    expect([broken.status, await codeOf(broken)]).toEqual([400, 'bad_request']);
    const large = await post('/admin/p', JSON.stringify('x'.repeat(2000)), 'application/json');
    expect([large.status, await codeOf(large)]).toEqual([413, 'body_too_large']);
    expect(await (await post('/p', '{"x"', 'application/json')).text()).toBe('raw {"x"');
  });

  it('stand behind httpAdminMiddleware, and answer other origins as httpAdminCors says', async () => {
    await using rig = await Rig.open({
      httpAdminRoot: '/admin',
      httpAdminCors: { origin: 'http://elsewhere' },
      httpAdminMiddleware: (_: unknown, res: express.Response, next: () => void) => {
        res.set('X-Seen', 'yes');
        next();
      },
    });
    rig.http.httpAdmin.get('/x', (_, res) => void res.send('x'));
    const reply = await rig.fetch('/admin/x');
    expect(reply.headers.get('x-seen')).toBe('yes');
    expect(reply.headers.get('access-control-allow-origin')).toBe('http://elsewhere');
  });
});

describe('roots, guards and static folders', () => {
  it('stand where the settings say', async () => {
    await using rig = await Rig.open({ httpAdminRoot: '/admin', httpNodeRoot: '/api' });
    rig.http.httpAdmin.get('/x', (_, res) => void res.send('admin'));
    rig.http.httpNode.get('/x', (_, res) => void res.send('node'));
    expect(rig.http.httpNode.path()).toBe('/api/');
    expect(await (await rig.fetch('/admin/x')).text()).toBe('admin');
    expect(await (await rig.fetch('/api/x')).text()).toBe('node');
    expect((await rig.fetch('/x')).status).toBe(404);
  });

  it('are absent where they are switched off', async () => {
    await using rig = await Rig.open({ httpAdminRoot: false, httpNodeRoot: false });
    rig.http.httpAdmin.get('/x', (_, res) => void res.send('admin'));
    rig.http.httpNode.get('/x', (_, res) => void res.send('node'));
    expect((await rig.fetch('/x')).status).toBe(404);
  });

  it.each([
    ['bcrypt', async () => hash('sesame', { cost: 4 })],
    ['MD5', async () => 'c8dae1c50e092f3d877192fc555b1dcf'],
  ])('are guarded by httpNodeAuth (%s)', async (_, stored) => {
    await using rig = await Rig.open({ httpNodeAuth: { user: 'ali', pass: await stored() } });
    rig.http.httpNode.get('/x', (_, res) => void res.send('in'));
    const ask = (credentials?: string) => {
      const authorization = `Basic ${Buffer.from(credentials ?? '').toString('base64')}`;
      return rig.fetch('/x', credentials === undefined ? {} : { headers: { authorization } });
    };
    expect((await ask()).headers.get('www-authenticate')).toMatch(/^Basic /);
    expect((await ask('ali:wrong')).status).toBe(401);
    expect((await ask('baba:sesame')).status).toBe(401);
    for (let i = 0; i < 2; i++) expect((await ask('ali:sesame')).status).toBe(200);
    expect((await ask('ali:wrong')).status).toBe(401);
  });

  it('serve static files after the routes', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sluice-static-'));
    writeFileSync(join(folder, 'x'), 'a file');
    writeFileSync(join(folder, 'y'), 'another');
    await using rig = await Rig.open({
      httpStatic: [{ path: folder, root: '/files' }, folder],
      httpStaticRoot: '/st',
    });
    rig.http.httpNode.get('/st/y', (_, res) => void res.send('a route'));
    expect(await (await rig.fetch('/st/files/x')).text()).toBe('a file');
    expect(await (await rig.fetch('/st/x')).text()).toBe('a file');
    expect(await (await rig.fetch('/st/y')).text()).toBe('a route');
    expect((await rig.fetch('/st/../x')).status).toBe(404);
    rmSync(folder, { recursive: true });
  });
});
