import { describe, expect, it } from 'vitest';
import { AppError } from '../contract/errors.ts';
import { levelNumbers } from './levels.ts';
import { textLine } from './text-line.ts';

const timestamp = new Date(2025, 10, 21, 2, 48, 27).getTime();
const line = (record: object, style = {}) =>
  textLine({ level: levelNumbers.info, timestamp, ...record }, { colours: false, verbose: false, ...style });

describe('textLine', () => {
  it('has the shape that tools expect', () => {
    expect(line({ msg: 'Started' })).toBe('21 Nov 02:48:27 - [info] Started');
    expect(line({ msg: 'hm', level: levelNumbers.warn, type: 'inject', name: 'tick', id: 'n1' })).toBe(
      '21 Nov 02:48:27 - [warn] [inject:tick] hm',
    );
    expect(line({ msg: 'hm', type: 'inject', id: 'n1', z: 'f1' })).toBe(
      '21 Nov 02:48:27 - [info] [inject:n1] hm',
    );
  });

  it('shows members behind the text', () => {
    expect(line({ msg: 'Installed', module: 'a', ms: 12, list: ['x'] })).toBe(
      '21 Nov 02:48:27 - [info] Installed module=a ms=12 list=["x"]',
    );
  });

  it.each([
    [5, '5'],
    [undefined, 'undefined'],
    [null, 'null'],
    [{ message: 'inner' }, 'inner'],
    [{ a: 1 }, '{ a: 1 }'],
    [new TypeError('bad'), 'TypeError: bad'],
    [{ toString: () => 'own words' }, 'own words'],
  ])('shows the message %j in words', (msg, words) => {
    expect(line({ msg })).toBe(`21 Nov 02:48:27 - [info] ${words}`);
  });

  it('shows what cannot be shown at least as something', () => {
    const hostile = {
      toString() {
        throw new Error('no');
      },
    };
    expect(line({ msg: hostile })).toContain('[info] ');
    const circle: { self?: unknown } = {};
    circle.self = circle;
    expect(line({ msg: 'x', circle })).toContain('circle=');
  });

  it('shows the stack of an unforeseen error, and of a foreseen one only when verbose', () => {
    const level = levelNumbers.error;
    expect(line({ msg: 'Oh', level, err: new Error('deep') })).toMatch(/Oh\nError: deep\n\s+at /);
    expect(line({ msg: 'Oh', level, err: new AppError('engine.gone') })).toMatch(
      /Oh: The engine stopped[^\n]*$/,
    );
    expect(line({ msg: 'Oh', level, err: new AppError('engine.gone') }, { verbose: true })).toMatch(
      /\n\s+at /,
    );
    expect(line({ msg: 'Oh', level: levelNumbers.warn, err: new Error('deep') })).toMatch(
      /\[warn\] Oh: deep$/,
    );
    expect(line({ msg: new Error('deep') }, { verbose: true })).toMatch(/Error: deep\n\s+at /);
  });

  it('shows audit and metric events as JSON', () => {
    const text = line({ level: levelNumbers.audit, event: 'auth.login', user: 'fred' });
    expect(text).toMatch(/^21 Nov 02:48:27 - \[audit\] \{/);
    expect(JSON.parse(text.slice(text.indexOf('{')))).toMatchObject({ event: 'auth.login', user: 'fred' });
  });

  it('colours where asked to', () => {
    expect(line({ msg: 'x', level: levelNumbers.error }, { colours: true })).toBe(
      '\x1b[31m21 Nov 02:48:27 - [error] x\x1b[39m',
    );
    expect(line({ msg: 'x' }, { colours: true })).toBe('21 Nov 02:48:27 - [info] x');
  });
});
