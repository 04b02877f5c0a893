import { describe, expect, it } from 'vitest';
import { surfApps } from '../../../test/support/surf-app.ts';
import { depthOf } from './bodies.ts';

const start = surfApps();

it.each([
  ['1', 0],
  ['[]', 1],
  ['{"a":[{}]}', 3],
  ['[[],[[]],[]]', 3],
  ['{"a[":"[{[","b":[]}', 2],
  ['"\\"[["', 0],
  ['{"a":"\\\\","b":[[]]}', 3],
  ['"[[', 0],
])('the JSON text %s is %i levels deep', (json, depth) => {
  expect(depthOf(json)).toBe(depth);
});

describe('bodies', () => {
  it('over the limit are refused with 413', async () => {
    const { post } = await start();
    const reply = await post('/echo', JSON.stringify('x'.repeat(1001)));
    expect([reply.status, await reply.json()]).toEqual([
      413,
      { code: 'body_too_large', message: 'The request body is too large' },
    ]);
  });

  it('of many megabytes are refused such that the sender can read the answer', async () => {
    const { post } = await start();
    const reply = await post('/echo', JSON.stringify('x'.repeat(20_000_000)));
    expect([reply.status, ((await reply.json()) as { code: string }).code]).toEqual([413, 'body_too_large']);
  });

  it('that cannot be parsed are refused with 400', async () => {
    const { post } = await start();
    for (const [body, message] of [
      ['{', 'The body is not valid JSON'],
      ['no', 'The body is not valid JSON'],
      ['{"__proto__":{"admin":true}}', expect.stringContaining('"__proto__"')],
    ] as const) {
      const reply = await post('/echo', body);
      const answer = { code: 'bad_request', message };
      expect([body, reply.status, await reply.json()]).toEqual([body, 400, answer]);
    }
  });

  it('may be forms, with arrays', async () => {
    const { post } = await start();
    const form = 'a=1&b[]=2&c=3&c=4&d%5B%5D=5&d[]=6&__proto__=x';
    const reply = await post('/echo', form, 'application/x-www-form-urlencoded; charset=UTF-8');
    expect(await reply.text()).toBe(
      '{"body":{"a":"1","b":["2"],"c":["3","4"],"d":["5","6"],"__proto__":"x"}}',
    );
  });

  it('that are empty or of another type are an empty object', async () => {
    const { post, ask } = await start();
    expect(await (await post('/echo', '')).json()).toEqual({ body: {} });
    expect(await (await post('/echo', 'text', 'text/plain')).json()).toEqual({ body: {} });
    expect(await (await ask('/echo', { method: 'POST' })).json()).toEqual({ body: {} });
  });

  it('ignore unknown fields, and coerce nothing', async () => {
    const { post } = await start();
    expect((await post('/surf', '{"height":2,"wind":"east"}')).status).toBe(200);
    expect((await post('/surf', '{"height":"2"}')).status).toBe(400);
  });

  it.each([
    ['{}', 'Field "height" is missing'],
    ['{"height":"2"}', 'Field "height" must be a number'],
    ['{"height":2,"boards":[{"id":"a"},{"id":7}]}', 'Field "boards[1].id" must be a string'],
    ['{"height":2,"boards":[{}]}', 'Field "boards[0].id" is missing'],
    ['{"height":2,"spot":"lake"}', 'Field "spot" must be "reef" or "beach"'],
    ['[]', 'The body must be an object'],
  ])('%s is refused in words: %s', async (body, message) => {
    const { post } = await start();
    const reply = await post('/surf', body);
    expect([reply.status, await reply.json()]).toEqual([400, { code: 'invalid_request', message }]);
  });
});
