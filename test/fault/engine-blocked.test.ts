import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { hello, route, startFaulty } from '../support/engine-faults.ts';
import { writeModule } from '../support/node-module.ts';
import { portsOf } from '../support/processes.ts';
import { waitFor } from '../support/server.ts';

/** Whether it can be told where an engine is blocked; on others than Linux it is not looked for who listens. */
const inspects = process.platform === 'linux';

/** Ways in which node code keeps the event loop from turning. */
const blocks: { readonly [name: string]: string } = {
  'an endless loop': 'for (;;);',
  'an endless loop a moment later': 'global.get("host").setTimeout(() => { for (;;); }, 20); return msg;',
  'promises without end': 'const f = () => Promise.resolve().then(f); f(); return msg;',
  'ticks without end':
    'const { process } = global.get("host"); const f = () => process.nextTick(f); f(); return msg;',
  'a regular expression that never ends': 'msg.payload = /^(a+)+$/.test("a".repeat(60) + "!"); return msg;',
};

describe('an engine that is blocked', () => {
  it.each(Object.entries(blocks))('by %s is replaced by a deploy', async (_, func) => {
    await using faulty = await startFaulty({ flows: [...route('block', func), ...hello] });
    const { server } = faulty;
    const { pid } = await faulty.until('running');
    expect((await server.get('/hello')).text).toBe('hello');
    const blocked = server.get('/block');
    await faulty.until('unresponsive');
    const late = await server.get('/hello');
    expect(late.status).toBe(503);
    expect(late.body.code).toBe('engine.unresponsive');
    expect(late.headers.get('retry-after')).toBe('1');
    if (inspects) {
      const { blocked: where } = await server.waitFor(async () => {
        const report = await faulty.report();
        return report.blocked && report;
      }, 'where it is blocked');
      expect(where).toMatchObject({ node: { id: 'f-block', type: 'function' } });
      expect(where?.stack[0]).toMatch(/Function node:f-block:1\b/);
      expect(server.log()).toMatch(/it is in the function node f-block, at .*Function node:f-block:1\b/);
      // Nothing listens any more, and nobody is told that something did.
      expect(portsOf(pid as number)).toEqual([]);
      expect(server.log()).not.toMatch(/debugger/i);
    }
    // What waited for an answer is told as well; what had one has it.
    const { status, body } = await blocked;
    expect([200, 503]).toContain(status);
    if (status === 503) expect(body.code).toBe('engine.unresponsive');

    await faulty.deploy(hello);
    const healed = await faulty.report();
    expect(healed.state).toBe('running');
    expect(healed.pid).not.toBe(pid);
    expect((await server.get('/hello')).text).toBe('hello');
    expect((await server.get('/block')).status).toBe(404);
    const { unanswered, asked } = await faulty.answered();
    expect(unanswered).toEqual([]);
    expect(asked).toBeGreaterThan(10);
  });

  it('goes on by itself when what blocked it ends', async () => {
    const func = 'const end = Date.now() + 4000; while (Date.now() < end); msg.payload = "done"; return msg;';
    await using faulty = await startFaulty({ flows: [...route('block', func), ...hello] });
    const { server } = faulty;
    const { pid } = await faulty.until('running');
    const blocked = server.get('/block');
    await faulty.until('unresponsive');
    expect((await blocked).status).toBe(503);
    expect((await faulty.until('running')).pid).toBe(pid);
    expect((await server.get('/hello')).text).toBe('hello');
    expect((await faulty.report()).restarts).toBe(0);
    expect((await faulty.report()).blocked).toBeUndefined();
    if (inspects) await waitFor(() => portsOf(pid as number).length === 0, 'no open inspector');
    expect(server.log()).not.toMatch(/debugger/i);
  });

  it('by code of a node module: names the node', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sluice-loops-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const loops = `RED.nodes.registerType('loops', function (config) {
      RED.nodes.createNode(this, config);
      this.on('input', function spin() { for (;;); });
    });`;
    writeModule(folder, { name: 'loops', sets: { loops } });
    const settings = `nodesDir: ${JSON.stringify(folder)},`;
    const [tab, entry] = route('block', '');
    const spinner = { id: 'spinner', type: 'loops', z: 'tab-block', name: 'Round', wires: [] };
    const flows = [{ ...tab }, { ...entry, wires: [['spinner']] }, spinner];
    await using faulty = await startFaulty({ settings, flows });
    await faulty.until('running');
    faulty.server.get('/block').catch(() => {});
    await faulty.until('unresponsive');
    if (!inspects) return;
    const { blocked } = await faulty.server.waitFor(async () => {
      const report = await faulty.report();
      return report.blocked && report;
    }, 'where it is blocked');
    expect(blocked?.node).toEqual({ id: 'spinner', type: 'loops', name: 'Round' });
    expect(blocked?.stack[0]).toMatch(/spin \(.*loops\.js:4:/);
  });

  it('is none while a deploy starts many slow nodes, one after the other', async () => {
    const slow = (index: number) => ({
      id: `slow-${index}`,
      type: 'function',
      z: 't',
      func: 'return msg;',
      initialize: 'const end = Date.now() + 500; while (Date.now() < end);',
      wires: [[]],
    });
    await using faulty = await startFaulty({ flows: hello });
    const { pid } = await faulty.until('running');
    await faulty.deploy([
      ...hello,
      { id: 't', type: 'tab', label: 't' },
      ...Array.from({ length: 12 }, (_, index) => slow(index)),
    ]);
    expect((await faulty.report()).pid).toBe(pid);
    expect(faulty.server.log()).not.toContain('does not respond');
  });

  it('at the start of its flows, is replaced by a deploy', async () => {
    const flows = [
      { id: 't', type: 'tab', label: 't' },
      { id: 'f', type: 'function', z: 't', func: 'return msg;', initialize: 'for (;;);', wires: [[]] },
    ];
    await using faulty = await startFaulty({ flows });
    await faulty.until('unresponsive');
    await faulty.deploy(hello);
    expect((await faulty.server.get('/hello')).text).toBe('hello');
    expect((await faulty.answered()).unanswered).toEqual([]);
  });

  it('says so when a deploy blocks it', async () => {
    await using faulty = await startFaulty({ flows: hello });
    await faulty.until('running');
    const reply = await faulty.server.post('/flows', {
      token: faulty.token,
      json: [
        { id: 't', type: 'tab', label: 't' },
        { id: 'f', type: 'function', z: 't', func: 'return msg;', initialize: 'for (;;);', wires: [[]] },
      ],
    });
    expect(reply.status).toBe(503);
    expect(reply.body.code).toBe('flows.not_started');
    await faulty.deploy(hello);
    expect((await faulty.server.get('/hello')).text).toBe('hello');
    expect((await faulty.answered()).unanswered).toEqual([]);
  });

  it('is ended quickly when the server is stopped', async () => {
    await using faulty = await startFaulty({ flows: route('block', 'for (;;);') });
    await faulty.until('running');
    void faulty.server.get('/block').catch(() => {});
    await faulty.until('unresponsive');
    await faulty.answered();
    await faulty.server.stop();
    expect(await faulty.server.exited).toEqual({ code: 0, signal: null });
  });
});
