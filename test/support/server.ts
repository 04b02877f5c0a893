import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { childrenOf, isRunning } from './processes.ts';
import { asJavaScript } from './settings-text.ts';

/** What is left of a type when it is waited for. */
export type Truthy<T> = Exclude<T, false | 0 | '' | null | undefined>;

/** How a test's server is set up. */
export interface ServerOptions {
  /** Written as `settings.js`: an object (functions by their source text), or the text of the file. */
  readonly settings?: object | string;
  /** Written as `flows.json`. */
  readonly flows?: readonly object[];
  /** An existing user directory, which is then kept; by default a temporary one. */
  readonly userDir?: string;
  /** More arguments of the command. */
  readonly args?: readonly string[];
  readonly env?: { readonly [name: string]: string | undefined };
  readonly port?: number;
  /** What to wait for: the engine (default), the control plane alone, any answer of the admin API, or nothing. */
  readonly until?: 'ready' | 'live' | 'answering' | 'spawned';
  /** The script to run instead of our own command: the peer's. */
  readonly command?: string;
  /** Where the admin API is, when `httpAdminRoot` says otherwise. */
  readonly adminRoot?: string;
  readonly timeoutMs?: number;
}

/** What a request may carry. A `json` or `form` body sets its content type. */
export interface RequestOptions {
  readonly token?: string;
  readonly headers?: { readonly [name: string]: string };
  readonly json?: unknown;
  readonly form?: { readonly [field: string]: string };
  readonly body?: string | Uint8Array<ArrayBuffer> | FormData;
  readonly timeoutMs?: number;
}

/** An answer, read to its end. */
export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The parsed body where it is JSON, else `undefined`. */
  // biome-ignore lint/suspicious/noExplicitAny: a test reads members of the body and asserts what they are
  readonly body: any;
}

/** A running server (both planes) of a test's own. */
export interface TestServer extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  readonly userDir: string;
  /** Of the control plane. */
  readonly pid: number;
  /** The engine's process id, once there is one (and other than `not`). */
  enginePid(not?: number): Promise<number>;
  request(method: string, path: string, options?: RequestOptions): Promise<Reply>;
  get(path: string, options?: RequestOptions): Promise<Reply>;
  post(path: string, options?: RequestOptions): Promise<Reply>;
  put(path: string, options?: RequestOptions): Promise<Reply>;
  delete(path: string, options?: RequestOptions): Promise<Reply>;
  /** Logs in and gives the access token. */
  login(username: string, password: string, scope?: string): Promise<string>;
  /** Deploys a whole configuration; fails unless it was accepted. */
  deploy(flows: readonly object[], options?: RequestOptions): Promise<Reply>;
  /** Asks again and again until the answer is truthy. What it throws counts as not yet. */
  waitFor<T>(fn: () => T | Promise<T>, what?: string, timeoutMs?: number): Promise<Truthy<T>>;
  /** Everything that the server printed. */
  log(): string;
  /** Resolves when the process has ended. */
  readonly exited: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>;
  /** Sends a signal to the control plane and waits for its end. */
  kill(signal: NodeJS.Signals): Promise<void>;
  /** Ends it as an operator does (SIGTERM); by force when that takes too long. Keeps the user directory. */
  stop(): Promise<void>;
}

const command = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

/**
 * Starts the built server in a process of its own, on a free port, with a user directory of its own.
 * @throws Error with the server's log, when it ends or is not there in time
 */
export async function startServer(options: ServerOptions = {}): Promise<TestServer> {
  const userDir = options.userDir ?? mkdtempSync(join(tmpdir(), 'sluice-test-'));
  if (options.settings !== undefined) writeSettings(userDir, options.settings);
  if (options.flows) writeFileSync(join(userDir, 'flows.json'), JSON.stringify(options.flows));
  const port = options.port ?? (await freePort());
  const child = spawn(
    process.execPath,
    [options.command ?? command, '-u', userDir, '-p', String(port), ...(options.args ?? [])],
    { env: environment(options.env), stdio: ['ignore', 'pipe', 'pipe'] },
  );
  const server = new RunningServer(child, port, userDir, options);
  try {
    await server.started(options.until ?? 'ready');
  } catch (error) {
    await server[Symbol.asyncDispose]();
    throw error;
  }
  return server;
}

/** A port that was free a moment ago. */
export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  await once(probe, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

/** Asks again and again until the answer is truthy; what `fn` throws counts as not yet. */
export async function waitFor<T>(
  fn: () => T | Promise<T>,
  what = 'what the test waits for',
  timeoutMs = 30_000,
): Promise<Truthy<T>> {
  const end = performance.now() + timeoutMs;
  for (let pause = 10; ; pause = Math.min(pause * 1.5, 200)) {
    let failure: unknown;
    try {
      const value = await fn();
      if (value) return value as Truthy<T>;
    } catch (error) {
      failure = error;
    }
    if (performance.now() > end) throw new Error(`${what}: not within ${timeoutMs} ms`, { cause: failure });
    await sleep(pause);
  }
}

function writeSettings(userDir: string, settings: object | string): void {
  const text = typeof settings === 'string' ? settings : `module.exports = ${asJavaScript(settings)};\n`;
  writeFileSync(join(userDir, 'settings.js'), text);
}

/** The test runner's own environment must not colour the server's. */
function environment(extra: ServerOptions['env']): NodeJS.ProcessEnv {
  const env: NodeJS.ProcessEnv = { ...process.env, ...extra };
  for (const name of Object.keys(env)) {
    if (/^(VITEST|NODE_ENV$|NODE_OPTIONS$|NODE_V8_COVERAGE$)/.test(name) && extra?.[name] === undefined) {
      delete env[name];
    }
  }
  return env;
}

class RunningServer implements TestServer {
  readonly url: string;
  readonly port: number;
  readonly userDir: string;
  readonly exited: TestServer['exited'];
  readonly #child: ChildProcess;
  readonly #options: ServerOptions;
  readonly #admin: string;
  readonly #killOnExit: () => void;
  #log = '';
  #ended = false;

  constructor(child: ChildProcess, port: number, userDir: string, options: ServerOptions) {
    this.#child = child;
    this.#options = options;
    this.port = port;
    this.userDir = userDir;
    this.url = `http://127.0.0.1:${port}`;
    this.#admin = (options.adminRoot ?? '/').replace(/\/$/, '');
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.#log += text;
      });
    }
    this.exited = new Promise((resolve) => {
      child.once('exit', (code, signal) => {
        this.#ended = true;
        resolve({ code, signal });
      });
      child.once('error', (error) => {
        this.#ended = true;
        this.#log += String(error);
        resolve({ code: -1, signal: null });
      });
    });
    // A test runner that gives up must not leave servers behind.
    this.#killOnExit = () => child.kill('SIGKILL');
    process.once('exit', this.#killOnExit);
  }

  get pid(): number {
    return this.#child.pid ?? -1;
  }

  async started(until: NonNullable<ServerOptions['until']>): Promise<void> {
    if (until === 'spawned') return;
    const path = until === 'answering' ? `${this.#admin}/auth/login` : `${this.#admin}/health/${until}`;
    const asked = this.waitFor(
      async () => this.#ended || (await this.get(path, { timeoutMs: 2000 })).status === 200,
      `the server is ${until}`,
      this.#options.timeoutMs ?? 45_000,
    );
    await Promise.race([asked, this.exited]);
    if (this.#ended) throw new Error(`the server ended at start:\n${this.#log}`);
  }

  enginePid(not?: number): Promise<number> {
    return this.waitFor(() => {
      const engines = childrenOf(this.pid).filter((one) => /engine[/\\]main\.[jt]s/.test(one.command));
      return engines.find((one) => one.pid !== not)?.pid;
    }, 'an engine process');
  }

  async request(method: string, path: string, options: RequestOptions = {}): Promise<Reply> {
    const headers: Record<string, string> = { ...options.headers };
    if (options.token !== undefined) headers['authorization'] = `Bearer ${options.token}`;
    let body = options.body;
    if (options.json !== undefined) {
      headers['content-type'] ??= 'application/json';
      body = JSON.stringify(options.json);
    } else if (options.form) {
      headers['content-type'] ??= 'application/x-www-form-urlencoded';
      body = new URLSearchParams(options.form).toString();
    }
    const response = await fetch(this.url + path, {
      method,
      headers,
      redirect: 'manual',
      signal: AbortSignal.timeout(options.timeoutMs ?? 60_000),
      ...(body === undefined ? {} : { body }),
    });
    const text = await response.text();
    const isJson = /[/+]json\b/.test(response.headers.get('content-type') ?? '');
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: isJson && text !== '' ? JSON.parse(text) : undefined,
    };
  }

  get(path: string, options?: RequestOptions): Promise<Reply> {
    return this.request('GET', path, options);
  }
  post(path: string, options?: RequestOptions): Promise<Reply> {
    return this.request('POST', path, options);
  }
  put(path: string, options?: RequestOptions): Promise<Reply> {
    return this.request('PUT', path, options);
  }
  delete(path: string, options?: RequestOptions): Promise<Reply> {
    return this.request('DELETE', path, options);
  }

  async login(username: string, password: string, scope = '*'): Promise<string> {
    const fields = { client_id: 'svc-admin', grant_type: 'password', scope, username, password };
    const reply = await this.post(`${this.#admin}/auth/token`, { json: fields });
    if (reply.status !== 200) throw new Error(`log-in as ${username}: ${reply.status} ${reply.text}`);
    return reply.body.access_token;
  }

  async deploy(flows: readonly object[], options: RequestOptions = {}): Promise<Reply> {
    const reply = await this.post(`${this.#admin}/flows`, { ...options, json: flows });
    if (reply.status >= 300) throw new Error(`deploy: ${reply.status} ${reply.text}\n${this.#log}`);
    return reply;
  }

  async waitFor<T>(fn: () => T | Promise<T>, what?: string, timeoutMs?: number): Promise<Truthy<T>> {
    try {
      return await waitFor(fn, what, timeoutMs);
    } catch (error) {
      throw new Error(`${(error as Error).message}; the log:\n${this.#log.slice(-8000)}`, { cause: error });
    }
  }

  log(): string {
    return this.#log;
  }

  async kill(signal: NodeJS.Signals): Promise<void> {
    this.#child.kill(signal);
    await this.exited;
  }

  async stop(): Promise<void> {
    const engines = this.#ended ? [] : childrenOf(this.pid);
    if (!this.#ended) {
      const force = setTimeout(() => this.#child.kill('SIGKILL'), 25_000);
      await this.kill('SIGTERM');
      clearTimeout(force);
    }
    process.removeListener('exit', this.#killOnExit);
    // The engine ends with the control plane; should it fail to, the next test must not suffer from it.
    for (const engine of engines) if (isRunning(engine.pid)) process.kill(engine.pid, 'SIGKILL');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    if (this.#options.userDir === undefined && existsSync(this.userDir)) {
      rmSync(this.userDir, { recursive: true, force: true, maxRetries: 3 });
    }
  }
}
