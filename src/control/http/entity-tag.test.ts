import { describe, expect, it } from 'vitest';
import { surfApps } from '../../../test/support/surf-app.ts';
import { hasTag } from './entity-tag.ts';

const start = surfApps();

describe('hasTag', () => {
  it.each(['W/"a"', '"a"', '*', '"b", W/"a"', ' "a" '])('knows the tag in %j', (header) => {
    expect(hasTag(header, 'W/"a"')).toBe(true);
  });

  it.each([undefined, '', '"b"', 'a', '"a'])('does not know it in %j', (header) => {
    expect(hasTag(header, 'W/"a"')).toBe(false);
  });
});

describe('an answer to GET', () => {
  it('is tagged, and is 304 for who has it', async () => {
    const { port } = await start();
    const url = `http://127.0.0.1:${port}/surf`;
    const first = await fetch(url);
    const tag = first.headers.get('etag') ?? '';
    expect([first.status, tag]).toEqual([200, expect.stringMatching(/^W\/"[\w-]+"$/)]);
    const again = await fetch(url, { headers: { 'if-none-match': tag } });
    expect([again.status, await again.text(), again.headers.get('content-type')]).toEqual([304, '', null]);
    expect((await fetch(url, { headers: { 'if-none-match': '"x"' } })).status).toBe(200);
    expect((await fetch(url, { method: 'HEAD' })).headers.get('etag')).toBe(tag);
    expect((await fetch(url, { method: 'HEAD', headers: { 'if-none-match': '*' } })).status).toBe(304);
  });
});
