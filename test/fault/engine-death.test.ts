import { describe, expect, it } from 'vitest';
import { type FaultOptions, hello, route, startFaulty } from '../support/engine-faults.ts';

interface Death {
  readonly func: string;
  readonly reason: RegExp;
  readonly engine?: FaultOptions['engine'];
}

/** Ways in which node code ends the process, and what the report then says. */
const deaths: { readonly [name: string]: Death } = {
  'process.exit in a function': {
    func: 'global.get("host").process.exit(3);',
    reason: /ended itself with exit code 3 \(process\.exit was called at Function node:f-die/,
  },
  'process.exit in a timer': {
    func: 'const { process, setTimeout } = global.get("host"); setTimeout(() => process.exit(0), 10);',
    reason: /ended itself with exit code 0/,
  },
  'process.abort': { func: 'global.get("host").process.abort();', reason: /was killed by SIGABRT/ },
  'a signal': {
    func: 'const { process } = global.get("host"); process.kill(process.pid, "SIGSEGV");',
    reason: /was killed by SIGSEGV/,
  },
  'too much memory': {
    func: 'const kept = []; for (;;) kept.push({ a: new Array(1000).fill(kept.length), b: {} });',
    reason: /ran out of memory/,
    engine: { memoryLimitMb: 96, unresponsiveAfterMs: 60_000 },
  },
  'an uncaught error, where the settings say so': {
    func: 'global.get("host").setTimeout(() => { throw new Error("oops"); }, 10);',
    reason: /ended itself with exit code 70/,
    engine: { uncaughtErrors: 'restart' },
  },
};

describe('an engine that dies', () => {
  it.each(Object.entries(deaths))('of %s is started again', async (_, { func, reason, engine = {} }) => {
    await using faulty = await startFaulty({ flows: [...route('die', func), ...hello], engine });
    const { server } = faulty;
    const { pid } = await faulty.until('running');
    const dying = await server.get('/die');
    expect(dying.status).toBe(503);
    expect(dying.body.code).toBe('engine.gone');
    const after = await faulty.afterRestart();
    expect(after.pid).not.toBe(pid);
    expect(after.lastExit?.reason).toMatch(reason);
    expect((await server.get('/hello')).text).toBe('hello');
    expect(await faulty.flowState()).toBe('start');
    expect((await faulty.answered()).unanswered).toEqual([]);
  });

  it('by kill -9 is started again', async () => {
    await using faulty = await startFaulty({ flows: [...route('wait', 'return null;'), ...hello] });
    const { server } = faulty;
    await faulty.until('running');
    const waiting = server.get('/wait');
    // It is on its way before the kill.
    expect((await server.get('/hello')).text).toBe('hello');
    process.kill(await server.enginePid(), 'SIGKILL');
    expect((await waiting).body.code).toBe('engine.gone');
    const after = await faulty.afterRestart();
    expect(after.lastExit?.reason).toMatch(/killed by SIGKILL/);
    expect((await server.get('/hello')).text).toBe('hello');
    expect((await faulty.answered()).unanswered).toEqual([]);
  });

  it('is up again for a deploy that comes while it is away', async () => {
    await using faulty = await startFaulty({
      flows: hello,
      engine: { restartDelayMs: { min: 60_000, max: 60_000 } },
    });
    const { server } = faulty;
    await faulty.until('running');
    process.kill(await server.enginePid(), 'SIGKILL');
    await faulty.until('crashed');
    const gone = await server.get('/hello');
    expect(gone.status).toBe(503);
    expect(gone.body.code).toBe('engine.gone');
    await faulty.deploy(route('again', 'msg.payload = "there"; return msg;'));
    expect((await server.get('/again')).text).toBe('there');
  });
});

describe('errors that no node caught', () => {
  it('are logged and counted, and the flows go on', async () => {
    const func = `const { process, setTimeout, EventEmitter } = global.get("host");
      setTimeout(() => { throw new Error("from a timer"); }, 1);
      setTimeout(() => { new EventEmitter().emit("error", new Error("from an emitter")); }, 1);
      Promise.reject(new Error("from a promise"));
      process.nextTick(() => { throw "no error at all"; });
      setTimeout(() => { throw null; }, 1);
      msg.payload = "went on"; return msg;`;
    await using faulty = await startFaulty({ flows: [...route('throw', func), ...hello] });
    const { server } = faulty;
    const { pid } = await faulty.until('running');
    expect((await server.get('/throw')).text).toBe('went on');
    await server.waitFor(async () => (await faulty.report()).stats?.uncaughtErrors === 5, 'five are counted');
    expect((await server.get('/hello')).text).toBe('hello');
    expect((await faulty.report()).pid).toBe(pid);
    for (const words of ['from a timer', 'from an emitter', 'from a promise', 'no error at all']) {
      expect(server.log()).toContain(words);
    }
    expect((await faulty.answered()).unanswered).toEqual([]);
  });
});
