import { type ServerOptions, startServer, type TestServer } from './server.ts';

/** Settings under which an engine's failures show quickly. */
const quick = {
  heartbeatIntervalMs: 200,
  unresponsiveAfterMs: 3000,
  loadTimeoutMs: 5000,
  restartDelayMs: { min: 50, max: 500 },
};

/** What a fault test may set besides {@link ServerOptions}. */
export interface FaultOptions extends Omit<ServerOptions, 'settings'> {
  readonly engine?: object;
  /** More members of the settings file, as JavaScript. */
  readonly settings?: string;
}

const password = 'engine-faults';
/** bcrypt, cost 4, of {@link password}. */
const hash = '$2b$04$wYT9ZNNCR98SrIFNWk.ave9nyvmZMo3A5WxxZKLkBdhkm5fEMJgwe';

/** A server whose function nodes get `process` and the real timers by `global.get('host')`, and that wants a log-in. */
export async function startFaulty({ engine, settings, ...options }: FaultOptions): Promise<FaultyServer> {
  const server = await startServer({
    ...options,
    until: options.until ?? 'live',
    settings: `module.exports = {
      diagnostics: { enabled: true },
      runtimeState: { enabled: true },
      adminAuth: { type: 'credentials', users: [
        { username: 'admin', password: ${JSON.stringify(hash)}, permissions: '*' }] },
      functionGlobalContext: { host: { process, setTimeout, setInterval, EventEmitter: require('events') } },
      engine: ${JSON.stringify({ ...quick, ...engine })},
      ${settings ?? ''}
    };`,
  });
  try {
    return new FaultyServer(server, await server.login('admin', password));
  } catch (error) {
    await server[Symbol.asyncDispose]();
    throw error;
  }
}

/** The engine's part of the full diagnostics report. */
export interface EngineReport {
  readonly state: string;
  readonly pid?: number;
  readonly safe?: string;
  readonly blocked?: { readonly node?: { readonly id: string }; readonly stack: readonly string[] };
  readonly restarts: number;
  readonly lastExit?: { readonly reason: string };
  readonly stats?: { readonly uncaughtErrors: number };
}

/** A server to make fail, and what to ask of it meanwhile. */
export class FaultyServer implements AsyncDisposable {
  readonly server: TestServer;
  readonly token: string;
  #asked = 0;
  readonly #unanswered: string[] = [];
  #asking = true;
  readonly #asker: Promise<void>;

  constructor(server: TestServer, token: string) {
    this.server = server;
    this.token = token;
    this.#asker = this.#askAllTheWhile();
  }

  async report(): Promise<EngineReport> {
    const reply = await this.server.get('/diagnostics?scope=full', { token: this.token });
    return reply.body.engine;
  }

  /** Waits until the engine is in a state. */
  until(state: string): Promise<EngineReport> {
    return this.server.waitFor(async () => {
      const report = await this.report();
      return report.state === state && report;
    }, `the engine is ${state}`);
  }

  /** Waits until the engine has been restarted so often, and runs. */
  async afterRestart(count = 1): Promise<EngineReport> {
    return this.server.waitFor(async () => {
      const report = await this.report();
      return report.state === 'running' && report.restarts >= count && report;
    }, `${count} restarts`);
  }

  deploy(flows: readonly object[]): ReturnType<TestServer['deploy']> {
    return this.server.deploy(flows, { token: this.token });
  }

  async flowState(): Promise<string> {
    return (await this.server.get('/flows/state', { token: this.token })).body.state;
  }

  /**
   * Since the start, again and again, the report was asked for and somebody logged in.
   * @returns what was not answered as it should be (nothing), and how often it was asked
   */
  async answered(): Promise<{ unanswered: readonly string[]; asked: number }> {
    this.#asking = false;
    await this.#asker;
    return { unanswered: this.#unanswered, asked: this.#asked };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#asking = false;
    await this.#asker;
    await this.server[Symbol.asyncDispose]();
  }

  async #askAllTheWhile(): Promise<void> {
    const { server, token } = this;
    while (this.#asking) {
      for (const ask of [
        () => server.get('/diagnostics', { token, timeoutMs: 5000 }),
        () =>
          server.post('/auth/token', {
            json: { client_id: 'svc-admin', grant_type: 'password', scope: '*', username: 'admin', password },
            timeoutMs: 5000,
          }),
      ]) {
        this.#asked++;
        try {
          const { status, text } = await ask();
          if (status !== 200) this.#unanswered.push(`${status} ${text}`);
        } catch (error) {
          if (this.#asking) this.#unanswered.push(String(error));
        }
      }
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

/** A tab with `GET /<path>` that runs a function and answers with `msg.payload`. */
export function route(path: string, func: string, more: object = {}): readonly object[] {
  const z = `tab-${path}`;
  return [
    { id: z, type: 'tab', label: path },
    { id: `in-${path}`, type: 'http in', z, url: `/${path}`, method: 'get', wires: [[`f-${path}`]] },
    { id: `f-${path}`, type: 'function', z, func, outputs: 1, libs: [], wires: [[`out-${path}`]], ...more },
    { id: `out-${path}`, type: 'http response', z, wires: [] },
  ];
}

/** `GET /hello` answers `hello`. */
export const hello = route('hello', 'msg.payload = "hello"; return msg;');
