import { connect, type Socket } from 'node:net';

/** One request, sent again and again. */
export interface Request {
  readonly method?: 'GET' | 'POST';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** How much load, bounded in time and in count. */
export interface Load {
  readonly connections: number;
  readonly seconds: number;
  readonly most?: number;
}

/** What came of it. */
export interface LoadResult {
  readonly perSecond: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  readonly requests: number;
  /** Answers whose status was not 200. */
  readonly failures: number;
}

/**
 * Sends one request over some keep-alive connections to loopback, each waiting for its answer before it sends again.
 * @remarks Raw sockets and a minimal reader (Content-Length or chunked), so that the generator is cheaper than any server.
 */
export async function load(port: number, request: Request, amount: Load): Promise<LoadResult> {
  const bytes = Buffer.from(format(port, request));
  const latencies: number[] = [];
  let failures = 0;
  const begun = performance.now();
  const deadline = begun + amount.seconds * 1000;
  const most = amount.most ?? Number.POSITIVE_INFINITY;
  let sent = 0;
  await Promise.all(
    Array.from({ length: amount.connections }, async () => {
      const connection = await Connection.open(port);
      try {
        while (performance.now() < deadline && sent < most) {
          sent += 1;
          const start = performance.now();
          const status = await connection.exchange(bytes);
          latencies.push(performance.now() - start);
          if (status !== 200) failures += 1;
        }
      } finally {
        connection.close();
      }
    }),
  );
  const seconds = (performance.now() - begun) / 1000;
  latencies.sort((a, b) => a - b);
  const at = (share: number) =>
    latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))] ?? Number.NaN;
  return {
    perSecond: latencies.length / seconds,
    p50: at(0.5),
    p99: at(0.99),
    requests: latencies.length,
    failures,
  };
}

function format(port: number, request: Request): string {
  const body = request.body ?? '';
  const headers = { Host: `127.0.0.1:${port}`, ...request.headers };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const length = body === '' ? '' : `Content-Length: ${Buffer.byteLength(body)}\r\n`;
  return `${request.method ?? 'GET'} ${request.path} HTTP/1.1\r\n${lines.join('')}${length}\r\n${body}`;
}

const lastChunk = '\r\n0\r\n\r\n';

class Connection {
  readonly #socket: Socket;
  /** Of the answer that is being read, once its head is there. */
  #status: number | undefined;
  #isChunked = false;
  /** What is still to come of a body whose length is told. */
  #left = 0;
  /** The head so far; of a chunked body its last characters. */
  #buffer = '';
  #settle: ((status: number) => void) | undefined;
  #fail: ((reason: Error) => void) | undefined;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    // latin1 keeps one character a byte, so that lengths can be compared.
    socket.setEncoding('latin1');
    socket.on('data', (text: string) => this.#take(text));
    socket.on('error', (error) => this.#fail?.(error));
    socket.on('close', () => this.#fail?.(new Error('the server closed a keep-alive connection')));
  }

  static open(port: number): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const socket = connect(port, '127.0.0.1', () => resolve(new Connection(socket)));
      socket.once('error', reject);
    });
  }

  exchange(bytes: Buffer): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#settle = resolve;
      this.#fail = reject;
      this.#socket.write(bytes);
    });
  }

  close(): void {
    this.#fail = undefined;
    this.#socket.destroy();
  }

  #take(text: string): void {
    if (this.#status === undefined) {
      this.#buffer += text;
      const end = this.#buffer.indexOf('\r\n\r\n');
      if (end < 0) return;
      const head = this.#buffer.slice(0, end);
      this.#status = Number(head.slice(9, 12));
      const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
      this.#isChunked = length === undefined && /\r\ntransfer-encoding: *chunked/i.test(head);
      this.#left = Number(length ?? 0);
      text = this.#buffer.slice(end + 4);
      this.#buffer = '';
    }
    this.#left -= text.length;
    // Of a body only what ends it is kept: large ones would otherwise be copied with every piece.
    if (this.#isChunked) this.#buffer = (this.#buffer + text).slice(-lastChunk.length);
    if (this.#isChunked ? !lastChunk.endsWith(this.#buffer) || this.#buffer.length < 5 : this.#left > 0)
      return;
    const status = this.#status;
    this.#status = undefined;
    this.#buffer = '';
    this.#settle?.(status);
  }
}
