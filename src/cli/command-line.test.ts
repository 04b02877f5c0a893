import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseCommandLine } from './command-line.ts';

const parse = (text: string) => parseCommandLine(text.split(' ').filter(Boolean));

describe('parseCommandLine', () => {
  it('starts where nothing is said', () => {
    expect(parse('')).toEqual({ is: 'start', flags: { overrides: {} } });
    expect(parse('start')).toEqual({ is: 'start', flags: { overrides: {} } });
  });

  it('takes every flag of start in every spelling', () => {
    const expected = {
      is: 'start',
      flags: {
        userDir: resolve('dir'),
        settings: resolve('s.js'),
        flowFile: 'my.json',
        title: 'mine',
        overrides: { uiPort: 81, safeMode: true, verbose: true },
      },
    };
    expect(parse('-u dir -s s.js -p 81 --safe -v --title mine my.json')).toEqual(expected);
    expect(parse('my.json --userDir=dir --settings=s.js --port=81 --safe --verbose --title=mine')).toEqual(
      expected,
    );
  });

  it('reads -D as JSON where it is JSON, as text otherwise, again and again', () => {
    expect(parse('-D a.b=1 -Dc=x --define=d=[1,"y"] -D e=-1 -D f=a=b -D g=')).toMatchObject({
      flags: { overrides: { 'a.b': 1, c: 'x', d: [1, 'y'], e: -1, f: 'a=b', g: '' } },
    });
  });

  it('reads -D @file as a JSON object', () => {
    const folder = mkdtempSync(join(tmpdir(), 'sluice-cli-'));
    try {
      writeFileSync(join(folder, 'more.json'), '{ "uiHost": "::1", "a.b": 2 }');
      expect(parseCommandLine(['-D', `@${join(folder, 'more.json')}`])).toMatchObject({
        flags: { overrides: { uiHost: '::1', 'a.b': 2 } },
      });
      writeFileSync(join(folder, 'list.json'), '[1]');
      expect(() => parseCommandLine(['-D', `@${join(folder, 'list.json')}`])).toThrow(
        'must hold a JSON object',
      );
      expect(() => parseCommandLine(['-D', `@${join(folder, 'none.json')}`])).toThrow('cannot be read');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('takes a word that is nearly a command for one, unless it is a file', () => {
    expect(() => parse('hashpw')).toThrow('there is no command "hashpw"; did you mean hash-pw?');
    expect(() => parse('strat')).toThrow('did you mean start?');
    expect(() => parse('help')).toThrow('did you mean --help?');
    expect(parse('./hashpw')).toMatchObject({ flags: { flowFile: './hashpw' } });
    expect(parse('flows')).toMatchObject({ flags: { flowFile: 'flows' } });
  });

  it('shows the help for -h as well', () => {
    expect(parse('-h')).toEqual({ is: 'help' });
  });

  it('lets -p win over -D uiPort', () => {
    expect(parse('-p 5 -D uiPort=6')).toMatchObject({ flags: { overrides: { uiPort: 5 } } });
  });

  it('knows the home directory where the shell does not', () => {
    expect(parse('--userDir=~/mine')).toMatchObject({ flags: { userDir: join(homedir(), 'mine') } });
  });

  it('knows the other commands and their flags', () => {
    expect(parse('init -u dir --port 81')).toEqual({ is: 'init', userDir: resolve('dir'), port: 81 });
    expect(parse('hash-pw')).toEqual({ is: 'hash-pw', algorithm: 'argon2id' });
    expect(parse('hash-pw --bcrypt')).toEqual({ is: 'hash-pw', algorithm: 'bcrypt' });
    expect(parse('-u x --help')).toEqual({ is: 'help' });
    expect(parse('-?')).toEqual({ is: 'help' });
    expect(parse('--version')).toEqual({ is: 'version' });
  });

  it.each([
    ['--prot 80', 'unknown flag --prot; did you mean --port?'],
    ['--userdir x', 'unknown flag --userdir; did you mean --userDir?'],
    ['--setings x', 'unknown flag --setings; did you mean --settings?'],
    ['--nonsense', 'unknown flag --nonsense; sluice --help lists the flags'],
    ['-x', 'unknown flag -x; sluice --help lists the flags'],
    ['--__proto__', 'unknown flag --__proto__'],
    ['-p', 'flag -p needs a value: -p PORT'],
    ['-u -p 80', 'flag -u needs a value: -u DIR'],
    ['--port=', 'flag --port needs a value: --port PORT'],
    ['--port x', 'flag --port: found "x", expected a whole number from 0 to 65535'],
    ['--port 65536', 'flag --port: found "65536", expected a whole number from 0 to 65535'],
    ['--safe=1', 'flag --safe takes no value'],
    ['-D novalue', 'flag -D needs name=value or @file, found "novalue"'],
    ['-D =5', 'flag -D needs name=value or @file, found "=5"'],
    ['a.json b.json', 'unexpected argument "b.json"'],
    ['init extra', 'unexpected argument "extra"'],
    ['init --safe', 'flag --safe is not for sluice init'],
    ['--bcrypt', 'flag --bcrypt is not for sluice start'],
  ])('refuses %j: %s', (text, words) => {
    expect(() => parse(text)).toThrow(words);
  });
});
