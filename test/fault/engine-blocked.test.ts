import { describe, expect, it } from 'vitest';
import { hello, route, startFaulty } from '../support/engine-faults.ts';

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
