import { describe, expect, it } from 'vitest';
import { Inspection } from './inspection.ts';

/** Nobody listens there: whoever is invited finds no inspector. */
const invitation = 'Debugger listening on ws://127.0.0.1:1/0a-1b\n';
const rest = 'For help, see: https://nodejs.org/en/docs/inspector\nDebugger attached.\n';
const inspectionWith = (execArgv: readonly string[]) => new Inspection({ execArgv, onLocated: () => {} });

describe.skipIf(process.platform === 'win32' || process.env['NODE_OPTIONS'])('an inspection', () => {
  it('leaves what a process says as it is, until it begins', () => {
    const inspection = inspectionWith([]);
    expect(inspection.execArgv).toEqual(['--inspect-port=127.0.0.1:0']);
    expect(inspection.hear(`${invitation}${rest}mine\n`)).toBe(`${invitation}${rest}mine\n`);
  });

  it('leaves out what Node.js says of the inspector, and nothing else', () => {
    const inspection = inspectionWith([]);
    expect(inspection.begin()).toBe('SIGUSR1');
    expect(inspection.hear('mine\n')).toBe('mine\n');
    expect(inspection.hear(`before\n${invitation}${rest}after\n`)).toBe('before\nafter\n');
    expect(inspection.hear(rest)).toBe('');
  });

  it.each(['--inspect', '--inspect-brk=0', '--disable-sigusr1', '--permission'])(
    'keeps away from a process that was given %s',
    (option) => {
      const inspection = inspectionWith([option]);
      expect([inspection.execArgv, inspection.begin()]).toEqual([[], undefined]);
    },
  );
});
