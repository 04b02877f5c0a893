// The setting https, over TLS.
import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { startServer } from '../support/server.ts';

const file = (name: string) => fileURLToPath(new URL(`../fixtures/tls/${name}`, import.meta.url));
const ca = readFileSync(file('cert.pem'));
const options = `{ key: require('fs').readFileSync(${JSON.stringify(file('key.pem'))}), cert: require('fs').readFileSync(${JSON.stringify(file('cert.pem'))}) }`;

function ask(port: number, path: string): Promise<{ status: number | undefined; body: unknown }> {
  return new Promise((resolve, reject) => {
    request({ port, path, host: 'localhost', family: 4, ca, agent: false }, async (res) => {
      let text = '';
      for await (const chunk of res) text += chunk;
      resolve({ status: res.statusCode, body: JSON.parse(text) });
    })
      .on('error', reject)
      .end();
  });
}

describe('the setting https', () => {
  it.each([
    ['options', options],
    ['a function that returns options', `() => (${options})`],
    ['a function that returns a promise of them', `async () => (${options})`],
  ])('may be %s', async (_case, https) => {
    await using server = await startServer({
      settings: `module.exports = { https: ${https} };`,
      until: 'spawned',
    });
    const reply = await server.waitFor(() => ask(server.port, '/auth/login'));
    expect(reply).toEqual({ status: 200, body: {} });
    expect(server.log()).toContain(`https://127.0.0.1:${server.port}/`);
    // Plain HTTP is not spoken there.
    await expect(server.get('/auth/login')).rejects.toThrow();
  });

  it('that gives no certificate ends the start with one line', async () => {
    await using server = await startServer({
      settings: `module.exports = { https: () => { throw new Error('no certificate today'); } };`,
      until: 'spawned',
    });
    expect((await server.exited).code).toBe(1);
    const lines = server.log().trim().split('\n');
    expect(lines.at(-1)).toMatch(/^sluice: the setting https .*: no certificate today$/);
    expect(server.log()).not.toMatch(/^\s+at /m);
  });
});
