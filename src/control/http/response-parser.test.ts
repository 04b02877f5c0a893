import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MalformedResponse, ResponseParser } from './response-parser.ts';

/** Reads a response in pieces, and says what came of it. */
function read(pieces: readonly string[], options: { head?: boolean; close?: boolean } = {}) {
  const seen: { interim: number[]; status?: number; reason?: string; headers?: string[]; body: string } = {
    interim: [],
    body: '',
  };
  let ends = 0;
  const parser = new ResponseParser(
    {
      interim: (status) => seen.interim.push(status),
      head: (status, reason, headers) => Object.assign(seen, { status, reason, headers }),
      body: (chunk) => {
        seen.body += chunk.toString('latin1');
      },
      end: () => ends++,
    },
    options.head ?? false,
  );
  for (const piece of pieces) parser.push(Buffer.from(piece, 'latin1'));
  if (options.close) parser.close();
  return { ...seen, done: parser.done, reusable: parser.reusable, ends };
}

const sized =
  'HTTP/1.1 201 Made it\r\nX-A: b: c\r\nSet-Cookie: 1\r\nSet-Cookie: 2\r\nContent-Length: 5\r\nConnection: keep-alive\r\nKeep-Alive: timeout=5\r\n\r\nhello';
const chunked =
  'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n1;ext=1\r\n \r\nA\r\nwide world\r\n0\r\nTrailer: x\r\n\r\n';

describe('reading a response', () => {
  it('of known length', () => {
    expect(read([sized])).toMatchObject({
      status: 201,
      reason: 'Made it',
      headers: ['X-A', 'b: c', 'Set-Cookie', '1', 'Set-Cookie', '2', 'Content-Length', '5'],
      body: 'hello',
      done: true,
      reusable: true,
      ends: 1,
    });
  });

  it('in chunks', () => {
    expect(read([chunked])).toMatchObject({ body: 'hello wide world', done: true, reusable: true, ends: 1 });
  });

  it('until the connection closes', () => {
    const text = 'HTTP/1.1 200 OK\r\n\r\nhello';
    expect(read([text])).toMatchObject({ body: 'hello', done: false });
    expect(read([text], { close: true })).toMatchObject({ body: 'hello', done: true, reusable: false });
  });

  it('without a body: to HEAD, 204, 304, of length 0', () => {
    expect(read(['HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n'], { head: true })).toMatchObject({
      headers: ['Content-Length', '5'],
      done: true,
      reusable: true,
    });
    for (const head of [
      '204 No Content',
      '304 Not Modified\r\nContent-Length: 7',
      '200 OK\r\nContent-Length: 0',
    ]) {
      expect(read([`HTTP/1.1 ${head}\r\n\r\n`])).toMatchObject({ body: '', done: true, reusable: true });
    }
  });

  it('after interim ones', () => {
    const early = 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n';
    expect(read([`HTTP/1.1 100 Continue\r\n\r\n${early}${sized}`])).toMatchObject({
      interim: [100, 103],
      status: 201,
      done: true,
    });
  });

  it('says that the connection is done for when it was said, or when more came than belongs to it', () => {
    expect(read(['HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n'])).toMatchObject({
      headers: ['Content-Length', '0', 'Connection', 'close'],
      reusable: false,
    });
    expect(read([`${sized}HTTP/1.1 200 OK\r\n`])).toMatchObject({
      body: 'hello',
      done: true,
      reusable: false,
    });
  });

  it('is refused where it is doubtful', () => {
    for (const text of [
      'SSH-2.0\r\n\r\n',
      'HTTP/1.1 099 No\r\n\r\n',
      'HTTP/1.1 101 Switching Protocols\r\n\r\n',
      'HTTP/1.1 200 OK\r\nno colon\r\n\r\n',
      'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n',
      'HTTP/1.1 200 OK\r\nContent-Length: 1, 1\r\n\r\n',
      'HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n',
      'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n',
      `HTTP/1.1 200 OK\r\nX: ${'x'.repeat(300_000)}`,
    ]) {
      expect(() => read([text]), text.slice(0, 80)).toThrow(MalformedResponse);
    }
  });

  it('gives the same however it is cut', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(sized, chunked, `HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n${chunked}`),
        fc.array(fc.nat({ max: 250 }), { maxLength: 12 }),
        (text, cuts) => {
          const at = [0, ...cuts.filter((cut) => cut < text.length).sort((a, b) => a - b), text.length];
          const pieces = at.slice(1).map((end, i) => text.slice(at[i], end));
          expect(read(pieces.filter((piece) => piece !== ''))).toEqual(read([text]));
        },
      ),
    );
  });
});
