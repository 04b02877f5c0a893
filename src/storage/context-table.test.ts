import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, describe, expect, it } from 'vitest';
import { ContextTable } from './context-table.ts';

const folder = mkdtempSync(join(tmpdir(), 'sluice-context-table-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('a context table', () => {
  it('keeps text and bytes by scope and key, in the order of the keys', () => {
    const path = join(folder, 'a.db');
    const table = new ContextTable(path, 's');
    table.change('f1', [
      { key: 'b', value: 'text' },
      { key: 'a', value: new Uint8Array([1, 2]) },
    ]);
    table.change('f1', [{ key: 'b', value: 'other' }]);
    table.change('f2', [{ key: 'a', value: 'x' }]);
    expect(table.get('f1', 'b')).toBe('other');
    expect(table.get('f1', 'a')).toEqual(new Uint8Array([1, 2]));
    expect(table.get('f1', 'c')).toBeUndefined();
    expect(table.keys('f1')).toEqual(['b', 'a']);
    expect(table.scopes().sort()).toEqual(['f1', 'f2']);
    table.change('f1', [{ key: 'b', value: null }]);
    table.removeScopes(['f2']);
    table.close();
    const again = new ContextTable(path, 's');
    expect([again.keys('f1'), again.scopes()]).toEqual([['a'], ['f1']]);
    again.close();
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('makes all changes or none', () => {
    const table = new ContextTable(join(folder, 'b.db'), 's');
    const bad = { key: 'b', value: {} as string };
    expect(() => table.change('f1', [{ key: 'a', value: '1' }, bad])).toThrow();
    expect(table.keys('f1')).toEqual([]);
    table.change('f1', [{ key: 'a', value: '2' }]);
    expect(table.get('f1', 'a')).toBe('2');
    table.close();
  });

  it('refuses a file that is no database', () => {
    const path = join(folder, 'c.db');
    writeFileSync(path, 'this is no database, but a text of some length'.repeat(50));
    expect(() => new ContextTable(path, 's')).toThrow(/not a database/);
  });

  it('has every change that returned, after its process was killed', async () => {
    const path = join(folder, 'killed.db');
    const module = new URL('./context-table.ts', import.meta.url).href;
    const code = `
      import { writeSync } from 'node:fs';
      import { ContextTable } from ${JSON.stringify(module)};
      const table = new ContextTable(${JSON.stringify(path)}, 's');
      for (let n = 1; ; n++) {
        table.change('f1', [{ key: 'a', value: String(n) }, { key: 'b', value: String(n) }]);
        writeSync(1, n + '\\n');
      }`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
      stdio: ['ignore', 'pipe', 'inherit'],
      timeout: 30_000,
      killSignal: 'SIGKILL',
    });
    let last = 0;
    for await (const line of createInterface({ input: child.stdout })) {
      last = Number(line);
      if (last === 500) child.kill('SIGKILL');
    }
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    const table = new ContextTable(path, 's');
    expect(last).toBeGreaterThanOrEqual(500);
    expect(Number(table.get('f1', 'a'))).toBeGreaterThanOrEqual(last);
    expect(table.get('f1', 'b')).toBe(table.get('f1', 'a'));
    table.close();
  });
});
