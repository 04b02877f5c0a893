import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { ContextManager } from '../../src/engine/context/context-manager.ts';
import { createPropertyAccess } from '../../src/engine/util/property-access.ts';
import { expectSame, outcomeOf, requirePeer } from '../support/peer-util.ts';

const { log } = requirePeer('@node-red/util');
const peer = requirePeer('@node-red/runtime/lib/nodes/context');
log.init({ logging: { none: { level: 'off', handler: () => () => {} } } });

const folder = mkdtempSync(join(tmpdir(), 'sluice-compat-context-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

// biome-ignore lint/suspicious/noExplicitAny: contexts of either side, as flows use them
type Untyped = any;

/** What both sides do. */
interface Contexts {
  readonly global: Untyped;
  flow(id: string, parent: string): Untyped;
  get(id: string, flow?: string): Untyped;
  delete(id: string, flow?: string): Promise<unknown>;
  clean(ids: string[]): Promise<unknown>;
  close(): Promise<unknown>;
}

async function openPeer(settings: object): Promise<Contexts> {
  peer.init(settings);
  await peer.load();
  return {
    get global() {
      return peer.get('global');
    },
    flow: peer.getFlowContext,
    get: peer.get,
    delete: peer.delete,
    clean: (ids) => peer.clean({ allNodes: Object.fromEntries(ids.map((id) => [id, {}])) }),
    close: peer.close,
  };
}

async function openOurs(settings: { userDir: string }): Promise<Contexts> {
  const silent = { info() {}, warn() {}, error() {}, debug() {} };
  const contexts = await ContextManager.open({
    settings,
    properties: createPropertyAccess(),
    log: silent,
    getNode: () => null,
  });
  return {
    get global() {
      return contexts.global;
    },
    flow: (id, parent) => contexts.flow(id, parent),
    get: (id, flow) => contexts.get(id, flow),
    delete: (id, flow) => contexts.delete(id, flow),
    clean: (ids) => contexts.clean({ ids: new Set(ids) }),
    close: () => contexts.close(),
  };
}

/** Nodes by the flow that they are in. */
const flowOf: { readonly [id: string]: string } = { n1: 't1', n2: 's1', n3: 's1-s2' };

function pick(contexts: Contexts, name: string): Untyped {
  const flows = {
    t1: contexts.flow('t1', 'global'),
    s1: contexts.flow('s1', 't1'),
    's1-s2': contexts.flow('s1-s2', 's1'),
  };
  const [id = '', member] = name.split('.');
  const found =
    id === 'global'
      ? contexts.global
      : Object.hasOwn(flows, id)
        ? flows[id as 't1']
        : contexts.get(id, flowOf[id]);
  return member === undefined ? found : found[member];
}

type Act = (contexts: Contexts) => Promise<unknown> | unknown;

/** A call without a callback, or with one: then what it is called with counts. Absent last values are none. */
function calling(
  name: string,
  method: string,
  args: unknown[],
  how: 'direct' | 'callback' | 'no function',
): Act {
  return (contexts) => {
    const calls: unknown[][] = [];
    const note = (error: unknown, ...values: unknown[]) => {
      const call = [error instanceof Error ? error.message : undefined, ...values];
      while (call.length > 0 && call.at(-1) === undefined) call.pop();
      calls.push(structuredClone(call));
    };
    const last = how === 'direct' ? [] : [how === 'callback' ? note : 'no function'];
    const outcome = outcomeOf(() => {
      const result = pick(contexts, name)[method](...structuredClone(args), ...last);
      return how === 'direct' && typeof result !== 'function' ? structuredClone(result) : typeof result;
    });
    return [how === 'callback' ? null : outcome, calls];
  };
}

const names = ['global', 't1', 's1', 's1-s2', 'n1', 'n1.flow', 'n1.global', 'n2', 'n3', 'n3.flow', 'config'];
const key = fc.constantFrom<unknown>(
  ...[
    'a',
    'b',
    'a.b',
    'a.b.c',
    'a[0]',
    'a[1].x',
    'a["x y"]',
    '',
    'seed',
    'seed.x',
    '#:(other)::a',
    '#:(no)::a',
  ],
  ...['$parent', '$parent.a', '$parent.$parent.a', '$parent.b.c', '$parents', 5, null],
);
const keys = fc.oneof({ weight: 4, arbitrary: key }, fc.array(key, { maxLength: 3 }));
const value = fc.constantFrom<unknown>(undefined, null, 0, 'x', true, { b: 1 }, [1, { x: 2 }], {
  b: { c: 5 },
});
const store = fc.constantFrom(undefined, undefined, 'default', 'memory', 'other', 'no', '_', null);
const how = fc.constantFrom('direct', 'callback', 'no function' as const);
const on = fc.constantFrom(...names);
const act: fc.Arbitrary<Act> = fc.oneof(
  fc
    .tuple(on, keys, value, store, how)
    .map(([name, ...args]) => calling(name, 'set', args.slice(0, 3), args[3])),
  fc.tuple(on, keys, store, how).map(([name, ...args]) => calling(name, 'get', args.slice(0, 2), args[2])),
  fc.tuple(on, store, how).map(([name, ...args]) => calling(name, 'keys', args.slice(0, 1), args[1])),
  fc
    .constantFrom('n1', 'n2', 'n3', 't1', 'global')
    .map((id) => async (contexts: Contexts) => void (await contexts.delete(id, flowOf[id]))),
  fc
    .subarray(['t1', 'n1', 'n2', 'n3', 's1', 's1-s2'])
    .map((ids) => async (contexts: Contexts) => void (await contexts.clean(ids))),
);

const memory = { module: 'memory' };
const storages: { readonly [name: string]: object | undefined } = {
  'no configured store': undefined,
  'two stores': { one: memory, other: memory },
  'a default by alias': { default: 'other', one: memory, other: memory },
  'a store on files': {
    default: { module: 'localfilesystem', config: { flushInterval: 1000 } },
    other: memory,
  },
};

describe.each(Object.keys(storages))('contexts with %s, as the peer keeps them', (name) => {
  it('give the same after whatever happened', async () => {
    const seed = { functionGlobalContext: { seed: { x: 1 }, b: 7 } };
    const exported = fc.constantFrom(
      {},
      { exportGlobalContextKeys: true },
      { exportGlobalContextKeys: false },
    );
    let run = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(act, { maxLength: 25 }),
        fc.constantFrom({}, seed),
        exported,
        async (acts, ...more) => {
          run += 1;
          const settings = (side: string) => ({
            userDir: join(folder, `${name} ${side} ${run}`),
            contextStorage: structuredClone(storages[name]),
            ...Object.assign({}, ...more),
          });
          const [theirs, ours] = [await openPeer(settings('peer')), await openOurs(settings('ours'))];
          for (const step of acts) {
            // Flows are there before their nodes are.
            for (const side of [theirs, ours]) pick(side, 'n1');
            const expected = await step(theirs);
            expectSame(await step(ours), expected);
          }
          await theirs.close();
          await ours.close();
        },
      ),
      { numRuns: name.includes('files') ? 50 : 400 },
    );
  });
});

describe.each([true, false])('the files of localfilesystem (cache: %s), as the peer writes them', (cache) => {
  it('are the same, byte for byte', async () => {
    const written = async (side: string, open: (settings: { userDir: string }) => Promise<Contexts>) => {
      const userDir = join(folder, `files ${side} ${cache}`);
      const contextStorage = { default: { module: 'localfilesystem', config: { cache } } };
      const contexts = await open({ userDir, contextStorage } as { userDir: string });
      const cycle: Record<string, unknown> = { a: 1, list: [1] };
      cycle['self'] = cycle;
      (cycle['list'] as unknown[]).push(cycle, cycle['list']);
      const rich = {
        date: new Date(0),
        buffer: Buffer.from('x'),
        map: new Map([[1, 2]]),
        nan: Number.NaN,
        run() {},
      };
      contexts.global.set('a.b', rich);
      pick(contexts, 't1').set('list[2].x', 1);
      pick(contexts, 'n1').set('cycle', cycle);
      pick(contexts, 's1').set(['text', 'none'], ['é\n']);
      pick(contexts, 'n2').set('q', [1, [2]]);
      pick(contexts, 'config').set('gone', 1);
      pick(contexts, 'config').set('gone');
      // Without a cache the peer does not wait for its writing when it closes.
      await sleep(500);
      await contexts.close();
      const root = join(userDir, 'context');
      const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((file) =>
        file.endsWith('.json'),
      );
      return Object.fromEntries(files.sort().map((file) => [file, readFileSync(join(root, file), 'utf8')]));
    };
    const expected = await written('peer', openPeer);
    expect(Object.keys(expected)).toHaveLength(6);
    expect(await written('ours', openOurs)).toEqual(expected);
  });
});

describe('a store on files', () => {
  const asked = (context: Untyped, method: string, ...args: unknown[]) =>
    new Promise((resolve) => {
      context[method](...args, (...answers: unknown[]) => resolve(answers));
    });

  it.each(['{"a":1}', '[1,[2]]', '"text"', '5', 'true'])(
    'goes on with a file that holds %s as the peer does',
    async (text) => {
      const continued = async (side: string, open: typeof openOurs) => {
        const userDir = join(folder, `held ${side} ${text.length}`);
        for (const path of ['global', 't1']) {
          mkdirSync(join(userDir, 'context', path), { recursive: true });
          const file = path === 't1' ? 'flow' : path;
          writeFileSync(join(userDir, 'context', path, `${file}.json`), text);
        }
        const contextStorage = { default: { module: 'localfilesystem' } };
        const seen: unknown[] = [];
        for (let round = 0; round < 2; round++) {
          const contexts = await open({ userDir, contextStorage } as { userDir: string });
          for (const name of ['global', 't1']) {
            const context = pick(contexts, name);
            seen.push(await asked(context, 'keys'), await asked(context, 'get', ['a', '0', 'z']));
            seen.push(await asked(context, 'set', 'z', round), context.keys());
          }
          await contexts.close();
        }
        return [seen, readFileSync(join(userDir, 'context', 't1', 'flow.json'), 'utf8')];
      };
      expect(await continued('ours', openOurs)).toEqual(await continued('peer', openPeer as typeof openOurs));
    },
  );

  it('answers as the peer does without a cache', async () => {
    const answers = async (side: string, open: typeof openOurs) => {
      const contextStorage = { default: { module: 'localfilesystem', config: { cache: false } } };
      const contexts = await open({ userDir: join(folder, `told ${side}`), contextStorage } as never);
      const seen: unknown[] = [];
      for (const name of ['global', 't1', 'n1', 'n3']) {
        const context = pick(contexts, name);
        seen.push(await asked(context, 'get', 'a'), await asked(context, 'set', 'a', { b: 1 }));
        seen.push(await asked(context, 'get', 'a.b'), await asked(context, 'get', ['a', 'none']));
        seen.push(await asked(context, 'keys'));
      }
      await contexts.close();
      return seen;
    };
    expect(await answers('ours', openOurs)).toEqual(await answers('peer', openPeer as typeof openOurs));
  });
});
