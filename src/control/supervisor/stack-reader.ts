import type { Debugger, Runtime } from 'node:inspector';
import type { BlockedAt } from './blocked-at.ts';
import { Inspector } from './inspector.ts';

/** A call into native code that does not return never pauses. */
const patienceMs = 5000;
const mostFrames = 30;
/** Where ticks never end it pauses within Node.js, between two of them: some steps on it is in the next. */
const mostLooks = 50;
/** Where our own code and packages lie. */
const root = new URL('../../../', import.meta.url).href;

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
    inspector.tell('Debugger.enable');
    let found: BlockedAt | undefined;
    for (let look = 0; look < mostLooks && found?.node === undefined; look++) {
      const paused = inspector.once('Debugger.paused');
      inspector.tell(look === 0 ? 'Debugger.pause' : 'Debugger.stepInto');
      const at = await Promise.race([paused, inspector.closed, after(patienceMs)]);
      if (!at) break;
      const seen = await blockedAt(inspector, (at as unknown as Debugger.PausedEventDataType).callFrames);
      if (found === undefined || seen.node !== undefined) found = seen;
    }
    return found;
  } catch {
    return undefined;
  } finally {
    inspector.end();
  }
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

function after(ms: number): Promise<undefined> {
  return new Promise((resolve) => {
    setTimeout(() => resolve(undefined), ms).unref();
  });
}
