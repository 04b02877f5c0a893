import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startPeer } from './peer.ts';
import { startServer, type TestServer } from './server.ts';

const fixture = fileURLToPath(new URL('../fixtures/player/', import.meta.url));

/** What happens in a case: a message for a node, or a pause. */
export type Step = { readonly to: string; readonly msg: unknown } | { readonly wait: number };

/** A part of a flow file, and what to do with it; ids are unique among all cases that are played together. */
export interface PlayedCase {
  readonly flows: readonly object[];
  readonly steps: readonly Step[];
}

/** What was kept in a case, by the name of the `keep` node (`log`: what nodes logged). */
export type Kept = Readonly<Record<string, readonly unknown[]>>;

/** Our server and the peer, side by side, each in processes of its own, with the `keep` node in both. */
export class SideBySide implements AsyncDisposable {
  readonly ours: TestServer;
  readonly theirs: TestServer;
  readonly #folders: readonly string[];

  private constructor(ours: TestServer, theirs: TestServer, folders: readonly string[]) {
    this.ours = ours;
    this.theirs = theirs;
    this.#folders = folders;
  }

  /** Starts both with the same settings. `SIDE` in the environment is a folder of each one's own. */
  static async start(settings: object = {}): Promise<SideBySide> {
    const folders = [0, 1].map(() => {
      const folder = mkdtempSync(join(tmpdir(), 'sluice-side-'));
      cpSync(fixture, join(folder, 'nodes'), { recursive: true });
      return folder;
    });
    const all = { flowFile: 'flows.json', credentialSecret: 's', telemetry: { enabled: false }, ...settings };
    const ours = await startServer({
      settings: all,
      userDir: folders[0] as string,
      env: { SIDE: folders[0] },
    });
    try {
      const theirs = await startPeer({
        settings: all,
        userDir: folders[1] as string,
        env: { SIDE: folders[1] },
      });
      return new SideBySide(ours, theirs, folders);
    } catch (error) {
      await ours.stop();
      throw error;
    }
  }

  /** Plays cases on both. The name of a case is the id of its tab. */
  async play(
    cases: Readonly<Record<string, PlayedCase>>,
    calmMs = 200,
  ): Promise<{ readonly ours: Record<string, Kept>; readonly theirs: Record<string, Kept> }> {
    const [ours, theirs] = await Promise.all([
      playOn(this.ours, cases, calmMs),
      playOn(this.theirs, cases, calmMs),
    ]);
    return { ours, theirs };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.ours.stop(), this.theirs.stop()]);
    for (const folder of this.#folders) rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

async function playOn(
  server: TestServer,
  cases: Readonly<Record<string, PlayedCase>>,
  calmMs: number,
): Promise<Record<string, Kept>> {
  // The peer answers a deploy before the flows run: a node of this deploy alone says when they do.
  const beacon = `beacon-${Object.keys(cases).length}-${Math.random()}`;
  const at = { z: beacon, x: 1, y: 1, wires: [[`${beacon}-out`]] };
  await server.deploy([
    ...Object.values(cases).flatMap(({ flows }) => flows),
    { id: beacon, type: 'tab' },
    { id: `${beacon}-in`, type: 'inject', props: [], repeat: '', crontab: '', once: false, ...at },
    { ...at, id: `${beacon}-out`, type: 'keep', name: 'x', wires: [] },
  ]);
  await server.waitFor(
    async () => (await server.post(`/inject/${beacon}-in`, { json: {} })).status === 200,
    'flows that run',
  );
  const steps = Object.fromEntries(Object.entries(cases).map(([name, each]) => [name, each.steps]));
  // Text, lest the peer's parsers of bodies have a say.
  const body = JSON.stringify({ cases: steps, calmMs });
  const reply = await server.post('/play', { body, headers: { 'content-type': 'application/x-steps' } });
  if (reply.status !== 200) throw new Error(`play: ${reply.status} ${reply.text}\n${server.log()}`);
  const kept: Record<string, Kept> = {};
  for (const name of Object.keys(cases)) {
    const ofCase: Record<string, unknown[]> = reply.body[name] ?? {};
    kept[name] = Object.fromEntries(
      Object.entries(ofCase).map(([key, list]) => [key, plain(list, server.userDir)]),
    );
  }
  return kept;
}

/** Random ids by the order of their coming; moments and the server's folder by name. */
function plain(list: unknown[], folder: string): unknown[] {
  const ids = new Map<string, string>();
  const text = JSON.stringify(list)
    .replaceAll(folder, '(folder)')
    .replace(/"(?:[0-9a-f]{28}|[0-9a-f]{16})"/g, (id) => {
      if (!ids.has(id)) ids.set(id, `"(id ${ids.size})"`);
      return ids.get(id) ?? id;
    })
    .replace(/\b1[789]\d{11}\b/g, '"(now)"')
    .replace(/"pid:\d+"/g, '"(pid)"')
    .replace(/""\(now\)""/g, '"(now)"')
    .replace(/\b20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, '(now)');
  return JSON.parse(text);
}

/** A value that JSON lacks, as the `keep` node shows it and messages carry it. */
export const special = {
  undefined: { $: 'undefined' },
  nan: { $: 'number', v: 'NaN' },
  buffer: (text: string, encoding: BufferEncoding = 'utf8') => ({
    $: 'buffer',
    v: Buffer.from(text, encoding).toString('base64'),
  }),
  date: (ms: number) => ({ $: 'date', v: String(ms) }),
  map: (...entries: [unknown, unknown][]) => ({ $: 'map', v: entries }),
  set: (...entries: unknown[]) => ({ $: 'set', v: entries }),
};

/** A node to try, and what to give it. */
export interface NodeCase {
  readonly node: { readonly type: string; readonly outputs?: number; readonly [property: string]: unknown };
  /** Messages, a pause after each where `pause` says so. A text or another plain value is a payload. */
  readonly give: readonly unknown[];
  readonly pause?: number;
  readonly env?: readonly object[];
  /** More nodes of the tab; `@` in any text stands for the case's prefix of ids. */
  readonly more?: readonly object[];
  /** The node that gets the messages; by default the node to try. */
  readonly enter?: string;
}

/**
 * A tab for one node: each output leads to a `keep` node `out0`, `out1`, …; what it raises, shows and completes is kept as
 * `catch`, `status` and `complete`. The node's id is `<name>_n`.
 */
export function caseOf(
  name: string,
  { node, give, pause, env = [], more = [], enter = '@n' }: NodeCase,
): PlayedCase {
  const outputs = node.outputs ?? 1;
  const at = { z: name, x: 1, y: 1, wires: [] as string[][] };
  const watch = (type: string, extra: object) => [
    { ...at, id: `${name}_${type}`, type, wires: [[`${name}_${type}-out`]], ...extra },
    { ...at, id: `${name}_${type}-out`, type: 'keep', name: type },
  ];
  const names = Array.from({ length: outputs }, (_, index) => `out${index}`);
  const flows = [
    { id: name, type: 'tab', label: name, env },
    { ...at, id: `${name}_n`, name: '', wires: names.map((each) => [`${name}_${each}`]), ...node },
    ...names.map((each) => ({ ...at, id: `${name}_${each}`, type: 'keep', name: each })),
    ...watch('catch', { scope: null, uncaught: false }),
    ...watch('status', { scope: [`${name}_n`, '-'] }),
    ...watch('complete', { scope: [`${name}_n`, '-'], uncaught: false }),
    ...more.map((item) => ({ ...at, ...item })),
  ];
  const prefixed = JSON.parse(JSON.stringify(flows).replaceAll('@', `${name}_`)) as object[];
  const steps = give.flatMap((each, index): Step[] => {
    const isMessage = typeof each === 'object' && each !== null && !Array.isArray(each) && !('$' in each);
    const msg = { _msgid: `m${index}`, ...(isMessage ? each : { payload: each }) };
    const step = { to: enter.replace('@', `${name}_`), msg };
    return pause === undefined ? [step] : [step, { wait: pause }];
  });
  return { flows: prefixed, steps };
}
