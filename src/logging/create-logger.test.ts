import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { createLogger, type LogDestination, type LogSettings } from './create-logger.ts';
import { levelNumbers } from './levels.ts';
import type { LogRecord } from './record.ts';

const console: LogDestination = { level: 'info', metrics: false, audit: false, format: 'text' };

function logging(settings: Partial<LogSettings>) {
  const lines: string[] = [];
  const log = createLogger({ logging: { console }, verbose: false, ...settings }, 'control', {
    write: (line) => lines.push(line),
  });
  return { log, lines };
}

/** One record of every level. */
function sayEverything({ log }: ReturnType<typeof logging>): void {
  for (const level of Object.values(levelNumbers))
    if (level !== levelNumbers.off) log.write({ level, msg: 'x' });
}
const levelsIn = (lines: readonly string[]) => lines.map((line) => /\[(\w+)\]/.exec(line)?.[1]);

describe('createLogger', () => {
  it.each([
    ['off', []],
    ['fatal', ['fatal']],
    ['error', ['fatal', 'error']],
    ['warn', ['fatal', 'error', 'warn']],
    ['info', ['fatal', 'error', 'warn', 'info']],
    ['debug', ['fatal', 'error', 'warn', 'info', 'debug']],
    ['trace', ['fatal', 'error', 'warn', 'info', 'debug', 'trace']],
  ] as const)('at level %s shows %j', (level, shown) => {
    const made = logging({ logging: { console: { ...console, level } } });
    sayEverything(made);
    expect(levelsIn(made.lines)).toEqual(shown);
  });

  it('shows audit and metric events where they are switched on, whatever the level', () => {
    const made = logging({ logging: { console: { ...console, level: 'off', metrics: true, audit: true } } });
    sayEverything(made);
    expect(levelsIn(made.lines)).toEqual(['audit', 'metric']);
    expect(made.log.metrics).toBe(true);
    expect(logging({}).log.metrics).toBe(false);
  });

  it('shows debug lines on the console when verbose', () => {
    const made = logging({ verbose: true });
    sayEverything(made);
    expect(levelsIn(made.lines)).toContain('debug');
  });

  it.each(['text', 'json'] as const)(
    'leaves %s lines out while nobody reads, and then says how many',
    (format) => {
      const lines: string[] = [];
      const out = { writableLength: 0, write: (line: string) => lines.push(line) };
      const logging = { console: { ...console, format } };
      const log = createLogger({ logging, verbose: false }, 'control', out);
      log.info('first');
      out.writableLength = 2 ** 21;
      log.info('second');
      log.error('third');
      expect(lines).toHaveLength(1);
      out.writableLength = 0;
      log.info('fourth');
      log.info('fifth');
      expect(lines).toHaveLength(4);
      expect(lines[1]).toContain('2 lines of the log were left out');
      expect(lines[2]).toContain('fourth');
      if (format === 'json') expect(() => JSON.parse(lines[1] ?? '')).not.toThrow();
    },
  );

  it('writes every line at once and whole', () => {
    const { log, lines } = logging({});
    log.info('two\nlines');
    log.warn('one', { module: 'a' });
    expect(lines).toHaveLength(2);
    expect(lines[0]).toMatch(/\[info\] two\nlines\n$/);
    expect(lines[1]).toMatch(/\[warn\] one module=a\n$/);
  });

  it('writes JSON where asked to', () => {
    const { log, lines } = logging({ logging: { console: { ...console, format: 'json', audit: true } } });
    log.error('Oh', { err: new TypeError('deep'), module: 'a' });
    log.write({ level: levelNumbers.audit, event: 'login' });
    log.write({ level: levelNumbers.info, msg: { some: 'object' }, type: 'inject', id: 'n1' });
    log.debug('not shown');
    const [error, audit, node] = lines.map((line) => JSON.parse(line));
    expect(lines).toHaveLength(3);
    expect(error).toMatchObject({
      level: 'error',
      plane: 'control',
      msg: 'Oh',
      module: 'a',
      err: { type: 'TypeError', message: 'deep', stack: expect.stringContaining(' at ') },
    });
    expect(Math.abs(error.time - Date.now())).toBeLessThan(60_000);
    expect(audit).toMatchObject({ level: 'audit', event: 'login' });
    expect(node).toMatchObject({ level: 'info', type: 'inject', id: 'n1', value: { some: 'object' } });
  });

  it('calls handlers of the settings file with whole records, at their own level', () => {
    const seen: LogRecord[] = [];
    const mine: LogDestination & { colour: string } = {
      ...console,
      level: 'debug',
      colour: 'red',
      handler: (settings) => (record) => seen.push({ ...record, settings }),
    };
    const { log, lines } = logging({ logging: { console, mine } });
    log.debug('quiet');
    log.write({ level: levelNumbers.warn, msg: 'loud', type: 'inject', id: 'n1' });
    expect(lines).toHaveLength(1);
    expect(seen).toMatchObject([
      { level: 50, msg: 'quiet', timestamp: expect.any(Number), settings: { colour: 'red' } },
      { level: 30, msg: 'loud', type: 'inject', id: 'n1' },
    ]);
  });

  it('goes on when a handler throws, cannot be made, or is none', () => {
    const throwing = () => {
      throw new Error('no');
    };
    const { log, lines } = logging({
      logging: {
        broken: { ...console, handler: throwing },
        throws: { ...console, handler: () => throwing },
        // biome-ignore lint/suspicious/noExplicitAny: what a settings file may hold is not what the type says
        none: { ...console, handler: (() => 5) as any },
        console,
      },
    });
    log.info('one');
    log.info('two');
    expect(lines).toHaveLength(2);
    expect(() => log.close()).not.toThrow();
  });

  it('closes handlers that can be closed', () => {
    let closed = false;
    const handler = () =>
      Object.assign(() => {}, {
        close() {
          closed = true;
        },
      });
    logging({ logging: { mine: { ...console, handler } } }).log.close();
    expect(closed).toBe(true);
  });
});

describe('a reader of the console that goes away', () => {
  it('is no uncaught error, also where something else was piped into the console before', async () => {
    const code = `
      import { PassThrough } from 'node:stream';
      new PassThrough().pipe(process.stdout);
      const { createLogger } = await import(${JSON.stringify(import.meta.resolve('./create-logger.ts'))});
      const to = { level: 'info', metrics: false, audit: false, format: 'text' };
      const log = createLogger({ logging: { console: to }, verbose: false }, 'engine');
      let uncaught = 0;
      process.on('uncaughtException', (error) => log.error(String(error), { uncaught: ++uncaught }));
      log.info('read');
      process.stdin.once('close', () => {
        log.info('unread');
        process.stderr.write('unread');
        setTimeout(() => process.exit(uncaught), 100);
      }).resume();
    `;
    const child = spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: 'pipe' });
    await once(child.stdout, 'data');
    for (const stream of [child.stdout, child.stderr]) stream.destroy();
    child.stdin.end();
    expect(await once(child, 'exit')).toEqual([0, null]);
  });
});
