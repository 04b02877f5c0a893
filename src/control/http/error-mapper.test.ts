import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { surfApps } from '../../../test/support/surf-app.ts';
import { silentLogger } from '../../logging/logger.ts';

const start = surfApps();

describe('errors', () => {
  it('are a code and words, and nothing of the log', async () => {
    const { ask } = await start();
    const reply = await ask('/conflict');
    expect([reply.status, reply.headers.get('content-type'), await reply.json()]).toEqual([
      409,
      'application/json; charset=utf-8',
      { code: 'version_mismatch', message: 'The flows have been changed by somebody else' },
    ]);
  });

  it('that nobody foresaw are logged, and tell the client nothing', async () => {
    const lines: unknown[][] = [];
    const { ask } = await start({ log: { ...silentLogger, error: (...line) => lines.push(line) } });
    const reply = await ask('/bug?token=1');
    expect([reply.status, await reply.json()]).toEqual([
      500,
      { code: 'internal_error', message: 'An internal error occurred; the log has the details' },
    ]);
    expect(lines).toEqual([['GET /bug: at /home/admin/secret.ts', { err: expect.any(TypeError) }]]);
  });

  it('have the shape of OAuth where the route says so', async () => {
    const { ask } = await start();
    expect(await (await ask('/oauth')).json()).toEqual({
      error: 'invalid_request',
      error_description: 'no wave',
    });
  });

  it('have no body for the statuses that the route lists', async () => {
    const { ask } = await start();
    const reply = await ask('/missing');
    expect([reply.status, reply.headers.get('content-type'), await reply.text()]).toEqual([404, null, '']);
  });

  it('have no body for 429, and say when to come again', async () => {
    const { ask } = await start();
    const reply = await ask('/slow-down');
    expect([reply.status, reply.headers.get('retry-after'), await reply.text()]).toEqual([429, '2', '']);
  });

  it('answer what is not HTTP', async () => {
    const { port } = await start();
    const socket = connect(port, '127.0.0.1').end('NOT HTTP\r\n\r\n');
    let text = '';
    for await (const chunk of socket) text += chunk;
    expect(text).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n[\s\S]*\{"code":"bad_request",/);
  });
});
