import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { AppError } from '../contract/errors.ts';
import { silentLogger } from '../logging/logger.ts';
import { change, recover } from './change.ts';
import { begin, commit, readJournal, restore, undoRoot } from './journal.ts';
import { endJob, identityOf, isRunning, jobVariable } from './processes.ts';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** A user directory with one installed package. */
function userDirectory(): string {
  const userDir = mkdtempSync(join(tmpdir(), 'sluice-change-'));
  folders.push(userDir);
  mkdirSync(join(userDir, 'node_modules', 'old', 'lib'), { recursive: true });
  mkdirSync(join(userDir, 'node_modules', '.bin'));
  writeFileSync(join(userDir, 'package.json'), '{"dependencies":{"old":"~1.0.0"}}');
  writeFileSync(join(userDir, 'package-lock.json'), '{"lock":1}');
  writeFileSync(join(userDir, 'node_modules', '.package-lock.json'), '{"hidden":1}');
  writeFileSync(join(userDir, 'node_modules', 'old', 'lib', 'a.js'), 'a');
  symlinkSync('../old/lib/a.js', join(userDir, 'node_modules', '.bin', 'a'));
  return userDir;
}

/** What npm may do to it. */
function damage(userDir: string): void {
  rmSync(join(userDir, 'node_modules', 'old'), { recursive: true });
  mkdirSync(join(userDir, 'node_modules', 'new'));
  writeFileSync(join(userDir, 'node_modules', '.package-lock.json'), '{"hidden":2}');
  writeFileSync(join(userDir, 'package.json'), '{"dependencies":{}}');
  rmSync(join(userDir, 'package-lock.json'));
  writeFileSync(join(userDir, 'npm-shrinkwrap.json'), '{}');
}

function expectUntouched(userDir: string): void {
  const read = (...path: string[]) => readFileSync(join(userDir, ...path), 'utf8');
  expect(read('package.json')).toBe('{"dependencies":{"old":"~1.0.0"}}');
  expect(read('package-lock.json')).toBe('{"lock":1}');
  expect(existsSync(join(userDir, 'npm-shrinkwrap.json'))).toBe(false);
  expect(read('node_modules', '.package-lock.json')).toBe('{"hidden":1}');
  expect(read('node_modules', '.bin', 'a')).toBe('a');
  expect(lstatSync(join(userDir, 'node_modules', '.bin', 'a')).isSymbolicLink()).toBe(true);
  expect(existsSync(join(userDir, 'node_modules', 'new'))).toBe(false);
  expect(readJournal(userDir)).toBeUndefined();
}

const aJob = { job: 'j1', what: 'The installation of new', owner: identityOf() };
const changing = (userDir: string) => ({
  userDir,
  what: 'a test',
  timeoutMs: 30_000,
  signal: new AbortController().signal,
  onOutput: () => {},
});

describe('the journal', () => {
  it('brings back everything that npm changed', () => {
    const userDir = userDirectory();
    begin(userDir, aJob);
    damage(userDir);
    restore(userDir);
    expectUntouched(userDir);
  });

  it('removes further files that were not there and brings back those that were', () => {
    const userDir = userDirectory();
    mkdirSync(join(userDir, 'nodes'));
    writeFileSync(join(userDir, 'nodes', 'was.tgz'), 'was');
    begin(userDir, aJob, ['nodes/was.tgz', 'nodes/new.tgz']);
    writeFileSync(join(userDir, 'nodes', 'was.tgz'), 'changed');
    writeFileSync(join(userDir, 'nodes', 'new.tgz'), 'new');
    restore(userDir);
    expect(readFileSync(join(userDir, 'nodes', 'was.tgz'), 'utf8')).toBe('was');
    expect(existsSync(join(userDir, 'nodes', 'new.tgz'))).toBe(false);
  });

  it('goes on where an interrupted restore stopped', () => {
    const userDir = userDirectory();
    begin(userDir, aJob);
    damage(userDir);
    // Interrupted after npm's folder was put aside, before the old one was put back.
    rmSync(join(userDir, 'node_modules'), { recursive: true });
    restore(userDir);
    expectUntouched(userDir);
  });

  it('removes node_modules where there was none before', () => {
    const userDir = userDirectory();
    rmSync(join(userDir, 'node_modules'), { recursive: true });
    begin(userDir, aJob);
    mkdirSync(join(userDir, 'node_modules', 'new'), { recursive: true });
    restore(userDir);
    expect(existsSync(join(userDir, 'node_modules'))).toBe(false);
  });

  it('changes nothing after a commit', () => {
    const userDir = userDirectory();
    begin(userDir, aJob);
    damage(userDir);
    commit(userDir);
    restore(userDir);
    expect(existsSync(join(userDir, 'node_modules', 'new'))).toBe(true);
  });
});

describe('recover', () => {
  it('takes back what an ended process left open, and ends what still runs of it', async () => {
    const userDir = userDirectory();
    begin(userDir, aJob);
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], {
      env: { ...process.env, [jobVariable]: aJob.job },
    });
    await once(child, 'spawn');
    damage(userDir);
    const ended = once(child, 'exit');
    try {
      await recover(userDir, silentLogger);
      await ended;
    } finally {
      child.kill('SIGKILL');
    }
    expectUntouched(userDir);
  });

  it('leaves a change alone whose process still runs', async () => {
    const userDir = userDirectory();
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
    await once(child, 'spawn');
    try {
      begin(userDir, { ...aJob, owner: identityOf(child.pid) });
      damage(userDir);
      await recover(userDir, silentLogger);
      expect(existsSync(join(userDir, 'node_modules', 'new'))).toBe(true);
    } finally {
      child.kill('SIGKILL');
    }
  });

  it('is not misled by a process that got the same id', () => {
    expect(isRunning(identityOf())).toBe(true);
    if (process.platform === 'linux') expect(isRunning({ pid: process.pid, started: '1' })).toBe(false);
  });
});

describe('a change', () => {
  it('stays when it succeeds, and leaves nothing behind', async () => {
    const userDir = userDirectory();
    const result = await change(changing(userDir), async ({ npm }) => npm(['--version']));
    expect(result.code).toBe(0);
    expect(result.stdout).toMatch(/^\d+\./);
    await expect.poll(() => existsSync(undoRoot(userDir)) && readJournal(userDir)).toBeUndefined();
  });

  it('is taken back when its body fails', async () => {
    const userDir = userDirectory();
    const failing = change(changing(userDir), async () => {
      damage(userDir);
      throw new AppError('invalid_package');
    });
    await expect(failing).rejects.toMatchObject({ code: 'invalid_package' });
    expectUntouched(userDir);
  });

  it('is taken back, and npm ended, when the runner is killed', async () => {
    const userDir = userDirectory();
    const failing = change(changing(userDir), async ({ npm }) => {
      damage(userDir);
      const { job } = readJournal(userDir) ?? { job: '' };
      const running = npm(['exec', '-c', 'sleep 60']);
      running.catch(() => {});
      expect(await endJob(job)).toBeGreaterThan(0);
      return running;
    });
    await expect(failing).rejects.toMatchObject({ code: 'install_failed' });
    expectUntouched(userDir);
  });

  it('is taken back when it takes too long', async () => {
    const userDir = userDirectory();
    const failing = change({ ...changing(userDir), timeoutMs: 1500 }, async ({ npm }) => {
      damage(userDir);
      return npm(['exec', '-c', 'sleep 60']);
    });
    await expect(failing).rejects.toMatchObject({ code: 'install_failed' });
    expectUntouched(userDir);
  });
});
