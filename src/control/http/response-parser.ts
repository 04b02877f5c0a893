/** Who is told of a response while it comes in. */
export interface ResponseSink {
  /** An interim response (1xx but 101). Header names and values in turn. */
  interim(status: number, headers: readonly string[]): void;
  /** The status line and the headers, names and values in turn. */
  head(status: number, reason: string, headers: string[]): void;
  /** A part of the body; `last` where it is known to be the last. */
  body(chunk: Buffer, last: boolean): void;
  /** The response is complete. */
  end(): void;
}

/** The engine sent what is no HTTP response. */
export class MalformedResponse extends Error {}

const maxHeadLength = 256 * 1024;
const crlf2 = Buffer.from('\r\n\r\n');

/** How much of the body is still to come, and how that is known (RFC 9112, 6.3). */
type Framing =
  | { readonly is: 'head' }
  | { readonly is: 'length'; left: number }
  /** `left` of the current chunk; -1 before a chunk's size, -2 before the line break after a chunk, -3 in the trailers. */
  | { readonly is: 'chunked'; left: number }
  | { readonly is: 'until-close' }
  | { readonly is: 'done' };

/**
 * Reads responses of the engine's HTTP server, one after the other, from the bytes of a connection.
 * @remarks Takes what Node's server writes and no more: anything doubtful is malformed, and the connection with it.
 * Trailers are read and dropped.
 */
export class ResponseParser {
  readonly #sink: ResponseSink;
  readonly #headRequest: boolean;
  #framing: Framing = { is: 'head' };
  /** Bytes of an incomplete head, chunk size or trailer. */
  #rest: Buffer | undefined;
  #closing = false;

  /** @param headRequest - the response is to a HEAD request: it has no body whatever its headers say */
  constructor(sink: ResponseSink, headRequest: boolean) {
    this.#sink = sink;
    this.#headRequest = headRequest;
  }

  get done(): boolean {
    return this.#framing.is === 'done';
  }

  /** Whether the connection can carry another response after this one. */
  get reusable(): boolean {
    return this.done && !this.#closing && this.#rest === undefined;
  }

  /** Takes bytes. @throws MalformedResponse */
  push(bytes: Buffer): void {
    let chunk = bytes;
    if (this.#rest) {
      chunk = Buffer.concat([this.#rest, bytes]);
      this.#rest = undefined;
    }
    while (chunk.length > 0) {
      const framing = this.#framing;
      let used: number;
      switch (framing.is) {
        case 'head':
          used = this.#head(chunk);
          break;
        case 'length':
          used = this.#length(framing, chunk);
          break;
        case 'chunked':
          used = this.#chunked(framing, chunk);
          break;
        case 'until-close':
          this.#sink.body(chunk, false);
          return;
        case 'done':
          // More than the response: whatever it is, it must not be taken for the next one.
          this.#closing = true;
          return;
        default:
          framing satisfies never;
          return;
      }
      if (used === 0) {
        this.#rest = chunk;
        if (chunk.length > maxHeadLength) throw new MalformedResponse('too long a head');
        return;
      }
      chunk = used === chunk.length ? empty : chunk.subarray(used);
    }
  }

  /** The connection ended. @returns whether the response is complete */
  close(): boolean {
    if (this.#framing.is === 'until-close') this.#finish();
    return this.done;
  }

  #head(chunk: Buffer): number {
    const end = chunk.indexOf(crlf2);
    if (end < 0) return 0;
    const lines = chunk.toString('latin1', 0, end).split('\r\n');
    const statusLine = /^HTTP\/1\.[01] ([1-9]\d\d)(?: (.*))?$/.exec(lines[0] ?? '');
    if (!statusLine) throw new MalformedResponse(`no status line: ${lines[0]?.slice(0, 80)}`);
    const status = Number(statusLine[1]);
    const headers: string[] = [];
    let length: number | undefined;
    let chunked = false;
    for (let i = 1; i < lines.length; i++) {
      const line = lines[i] ?? '';
      const colon = line.indexOf(':');
      if (colon <= 0) throw new MalformedResponse('a header without a name');
      const name = line.slice(0, colon);
      const value = line.slice(line.charCodeAt(colon + 1) === 32 ? colon + 2 : colon + 1);
      switch (name.length) {
        case 10: // connection, keep-alive: between the planes only, but for the wish to close.
          if (isNamed(name, 'connection')) {
            if (value.toLowerCase() === 'close') {
              this.#closing = true;
              headers.push(name, value);
            }
            continue;
          }
          if (isNamed(name, 'keep-alive')) continue;
          break;
        case 14:
          if (isNamed(name, 'content-length')) {
            if (!/^\d+$/.test(value) || length !== undefined) throw new MalformedResponse('content-length');
            length = Number(value);
          }
          break;
        case 17:
          if (isNamed(name, 'transfer-encoding')) {
            if (value.toLowerCase() !== 'chunked' || chunked)
              throw new MalformedResponse('transfer-encoding');
            chunked = true;
            continue;
          }
          break;
      }
      headers.push(name, value);
    }
    if (chunked && length !== undefined) throw new MalformedResponse('two framings');
    if (status < 200) {
      if (status === 101) throw new MalformedResponse('an upgrade that nobody asked for');
      this.#sink.interim(status, headers);
      return end + 4;
    }
    this.#sink.head(status, statusLine[2] ?? '', headers);
    if (this.#headRequest || status === 204 || status === 304 || length === 0) this.#finish();
    else if (chunked) this.#framing = { is: 'chunked', left: -1 };
    else if (length !== undefined) this.#framing = { is: 'length', left: length };
    else {
      this.#framing = { is: 'until-close' };
      this.#closing = true;
    }
    return end + 4;
  }

  #length(framing: { left: number }, chunk: Buffer): number {
    const part = chunk.length > framing.left ? chunk.subarray(0, framing.left) : chunk;
    framing.left -= part.length;
    this.#sink.body(part, framing.left === 0);
    if (framing.left === 0) this.#finish();
    return part.length;
  }

  #chunked(framing: { left: number }, chunk: Buffer): number {
    if (framing.left > 0) {
      const part = chunk.length > framing.left ? chunk.subarray(0, framing.left) : chunk;
      framing.left -= part.length;
      if (framing.left === 0) framing.left = -2;
      this.#sink.body(part, false);
      return part.length;
    }
    const end = chunk.indexOf('\r\n');
    if (end < 0) return 0;
    if (framing.left === -2) {
      if (end !== 0) throw new MalformedResponse('a chunk longer than its size');
      framing.left = -1;
    } else if (framing.left === -3) {
      // A trailer, or the empty line after them.
      if (end === 0) this.#finish();
    } else {
      const size = /^([0-9a-f]{1,13})(?:[ \t]*;.*)?$/i.exec(chunk.toString('latin1', 0, end))?.[1];
      if (size === undefined) throw new MalformedResponse('no chunk size');
      framing.left = Number.parseInt(size, 16) || -3;
    }
    return end + 2;
  }

  #finish(): void {
    this.#framing = { is: 'done' };
    this.#sink.end();
  }
}

const empty = Buffer.alloc(0);

/** Whether a header is the one named (in lower case); most come in one of two spellings. */
function isNamed(name: string, lower: string): boolean {
  return name === lower || name.toLowerCase() === lower;
}
