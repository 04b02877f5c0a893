import type { Debugger, Runtime } from 'node:inspector';
import type WebSocket from 'ws';
import { isObject } from '../../contract/json.ts';
import type { BlockedAt } from './blocked-at.ts';

/** A call into native code that does not return never pauses. */
const patienceMs = 5000;
const mostFrames = 30;
const root = new URL('../../../', import.meta.url).href;
/** Of one message, in bytes; a script may bring its source map. */
const longestMessage = 64 * 1024 * 1024;

/** Options for Node.js with which a process that is asked to can be looked into, on a port that nobody can foresee. */
export const inspectable: readonly string[] = ['--inspect-port=127.0.0.1:0'];

/** Whether these options leave it to us to have the process looked into. */
export function mayInspect(execArgv: readonly string[], env: NodeJS.ProcessEnv = process.env): boolean {
  const options = [...execArgv, env['NODE_OPTIONS'] ?? ''].join(' ');
  return process.platform !== 'win32' && !/--(?:inspect|debug|disable-sigusr1|permission)/.test(options);
}

/** What Node.js says on stderr when a debugger may come, and when one has; `url` is where to. */
export const invitation = /^Debugger listening on (?<url>ws:\/\/127\.0\.0\.1:\d+\/[\w-]+)\r?\n/m;
const chatter =
  /^(?:Debugger (?:listening on|attached|ending on)|For help, see: http|Waiting for the debugger).*\r?\n/gm;

/** The rest of a text of stderr. */
export function withoutChatter(text: string): string {
  return text.replace(chatter, '');
}

/**
 * Reads where a process is whose event loop does not turn, over the inspector that it has just opened; and has it close
 * the inspector at once, in any case.
 * @remarks The process pauses for some milliseconds and goes on. Reads own data properties only: no code of the flows
 * runs.
 * @returns undefined where it does not pause: it waits for something, or is in native code.
 */
export async function readStack(url: string): Promise<BlockedAt | undefined> {
  const inspector = await Inspector.at(url);
  if (!inspector) return undefined;
  try {
    const paused = inspector.once('Debugger.paused');
    inspector.tell('Debugger.enable');
    inspector.tell('Debugger.pause');
    const at = await Promise.race([paused, inspector.closed, after(patienceMs)]);
    if (!at) return undefined;
    return await blockedAt(inspector, (at as unknown as Debugger.PausedEventDataType).callFrames);
  } catch {
    return undefined;
  } finally {
    inspector.end();
  }
}

/** Has a process close its inspector. */
export async function closeInspector(url: string): Promise<void> {
  (await Inspector.at(url))?.end();
}

async function blockedAt(inspector: Inspector, all: readonly Debugger.CallFrame[]): Promise<BlockedAt> {
  const frames = all.slice(0, mostFrames);
  const foreign = frames.filter((frame) => !isOurs(inspector.urlOf(frame)));
  const stack = (foreign.length > 0 ? foreign : frames).map((frame) => lineOf(inspector, frame));
  for (const frame of frames) {
    const node = functionNodeOf(inspector.urlOf(frame)) ?? (await nodeOf(inspector, frame.this));
    if (node) return { node, stack };
  }
  return { stack };
}

/** The text of a function node is a script that is named after it. */
function functionNodeOf(url: string): BlockedAt['node'] {
  const [, id, name] = /^Function node(?: setup| cleanup)?:(\S+)(?: \[(.*)\])?$/.exec(url) ?? [];
  return id === undefined ? undefined : { id, type: 'function', ...(name === undefined ? {} : { name }) };
}

/** What `this` is in a frame, where that is a node. */
async function nodeOf(inspector: Inspector, { objectId }: Runtime.RemoteObject): Promise<BlockedAt['node']> {
  if (objectId === undefined) return undefined;
  const answer = await inspector.ask('Runtime.getProperties', { objectId, ownProperties: true });
  const { result } = answer as unknown as Runtime.GetPropertiesReturnType;
  const own = new Map(result.map(({ name, value }) => [name, value?.value as unknown]));
  const [id, type, name] = ['id', 'type', 'name'].map((key) => own.get(key));
  if (typeof id !== 'string' || typeof type !== 'string' || !own.has('_closeCallbacks')) return undefined;
  return { id, type, ...(typeof name === 'string' && name !== '' ? { name } : {}) };
}

function lineOf(inspector: Inspector, frame: Debugger.CallFrame): string {
  const url = inspector.urlOf(frame);
  const { lineNumber, columnNumber = 0 } = frame.location;
  // Before the text of a function node stands a line of ours.
  const at = functionNodeOf(url) ? `${url}:${lineNumber}` : `${url}:${lineNumber + 1}:${columnNumber + 1}`;
  return frame.functionName === '' ? at : `${frame.functionName} (${at})`;
}

/** Whether it is code of Node.js, or of the engine itself. */
function isOurs(url: string): boolean {
  return url.startsWith('node:') || url.startsWith(`${root}dist/`) || url.startsWith(`${root}src/`);
}

type Fields = { readonly [field: string]: unknown };

/** One connection to the inspector of a process. */
class Inspector {
  /** Resolves when the other side is gone. */
  readonly closed: Promise<undefined>;
  readonly #socket: WebSocket;
  readonly #urls = new Map<string, string>();
  readonly #answers = new Map<number, (result: Fields) => void>();
  readonly #listeners = new Map<string, (params: Fields) => void>();
  #asked = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    this.closed = new Promise((resolve) => socket.once('close', () => resolve(undefined)));
    socket.on('error', () => socket.terminate());
    socket.on('message', (data) => this.#hear(JSON.parse(String(data)) as Fields));
  }

  /** @returns undefined where nobody is there */
  static async at(url: string): Promise<Inspector | undefined> {
    const { WebSocket } = await import('ws');
    const socket = new WebSocket(url, { maxPayload: longestMessage, perMessageDeflate: false });
    const inspector = new Inspector(socket);
    const opened = new Promise<boolean>((resolve) => socket.once('open', () => resolve(true)));
    return (await Promise.race([opened, inspector.closed])) ? inspector : undefined;
  }

  once(event: string): Promise<Fields> {
    return new Promise((resolve) => this.#listeners.set(event, resolve));
  }

  ask(method: string, params: Fields = {}): Promise<Fields> {
    const id = ++this.#asked;
    return new Promise((resolve, reject) => {
      this.#answers.set(id, resolve);
      const gone = (): void => reject(new Error('the inspector is closed'));
      void this.closed.then(gone);
      if (this.#socket.readyState !== this.#socket.OPEN) return gone();
      this.#socket.send(JSON.stringify({ id, method, params }), (error) => error && reject(error));
    });
  }

  tell(method: string): void {
    this.ask(method).catch(() => {});
  }

  urlOf({ location }: Debugger.CallFrame): string {
    return this.#urls.get(location.scriptId) ?? '';
  }

  /** Has the process close its inspector, which lets it go on; as soon as it can be reached, where it can't be now. */
  end(): void {
    const expression = 'process.getBuiltinModule("node:inspector").close()';
    const answered = this.ask('Runtime.evaluate', { expression });
    void answered.catch(() => {}).then(() => this.#socket.terminate());
  }

  #hear({ id, method, params, result }: Fields): void {
    if (typeof id === 'number') {
      this.#answers.get(id)?.(isObject(result) ? result : {});
      this.#answers.delete(id);
    } else if (typeof method === 'string' && isObject(params)) {
      if (method === 'Debugger.scriptParsed')
        this.#urls.set(String(params['scriptId']), String(params['url']));
      this.#listeners.get(method)?.(params);
    }
  }
}

function after(ms: number): Promise<undefined> {
  return new Promise((resolve) => {
    setTimeout(() => resolve(undefined), ms).unref();
  });
}
