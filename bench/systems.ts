import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensurePeer } from './peer.ts';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** The two that are compared. */
export const systemNames = ['peer', 'sluice'] as const;
export type SystemName = (typeof systemNames)[number];

/** What a row needs of a system before it starts. */
export interface Setup {
  /** Source text of the object that the settings file exports, without its braces. */
  readonly settings?: string;
  readonly flows?: readonly object[];
  /** npm packages to install into the user directory first. */
  readonly modules?: readonly string[];
}

/** A started system. */
export interface System {
  readonly name: SystemName;
  readonly url: string;
  readonly port: number;
  readonly userDir: string;
  /** `performance.now()` at the spawn. */
  readonly spawnedAt: number;
  /** Milliseconds from spawn until the admin API first answered. */
  readonly firstAnswerMs: number;
  /** Process ids of the whole tree. */
  pids(): number[];
  stop(): Promise<void>;
}

/** Starts one system in a user directory of its own and waits until its admin API answers. */
export async function startSystem(name: SystemName, setup: Setup = {}): Promise<System> {
  const userDir = mkdtempSync(join(tmpdir(), `bench-${name}-`));
  writeFileSync(join(userDir, 'package.json'), '{"name":"bench","private":true}');
  writeFileSync(
    join(userDir, 'settings.js'),
    `module.exports = { flowFile: 'flows.json', diagnostics: { enabled: true, ui: true }, telemetry: { enabled: false },
      logging: { console: { level: 'warn' } }, ${setup.settings ?? ''} }`,
  );
  writeFileSync(join(userDir, 'flows.json'), JSON.stringify(setup.flows ?? []));
  cpSync(join(root, 'bench', 'nodes'), join(userDir, 'nodes'), { recursive: true });
  if (setup.modules) {
    npm(userDir, ['install', '--no-audit', '--no-fund', '--loglevel=error', ...setup.modules]);
  }
  const port = await freePort();
  const script = name === 'peer' ? ensurePeer() : join(root, 'bin', 'sluice.js');
  const begun = performance.now();
  const child = spawn(process.execPath, [script, '-u', userDir, '-p', String(port)], {
    stdio: ['ignore', 'pipe', 'pipe'],
    cwd: userDir,
  });
  const output: string[] = [];
  child.stdout.on('data', (chunk) => output.push(String(chunk)));
  child.stderr.on('data', (chunk) => output.push(String(chunk)));
  const url = `http://127.0.0.1:${port}`;
  await answers(`${url}/auth/login`, child, output);
  const firstAnswerMs = performance.now() - begun;
  return {
    name,
    url,
    port,
    userDir,
    spawnedAt: begun,
    firstAnswerMs,
    pids: () => processTree(child.pid ?? 0),
    stop: async () => {
      await ended(child);
      rmSync(userDir, { recursive: true, force: true });
    },
  };
}

/** Sums the proportional set size (Linux), in MB, of some processes. */
export function memoryMb(pids: readonly number[]): number {
  let kilobytes = 0;
  for (const pid of pids) {
    const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
    kilobytes += Number(/^Pss:\s+(\d+)/m.exec(rollup)?.[1] ?? 0);
  }
  return kilobytes / 1024;
}

/** Asks a URL again and again until it answers 200; fails after a minute. */
export async function answers(
  url: string,
  child?: ChildProcess,
  output: readonly string[] = [],
): Promise<void> {
  const deadline = performance.now() + 60_000;
  while (performance.now() < deadline) {
    if (child && child.exitCode !== null) break;
    try {
      const reply = await fetch(url);
      await reply.arrayBuffer();
      if (reply.status === 200) return;
    } catch {
      // Not listening yet.
    }
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  throw new Error(`${url} did not answer\n${output.join('')}`);
}

function npm(folder: string, args: readonly string[]): void {
  const result = spawnSync('npm', [...args], { cwd: folder, stdio: 'inherit' });
  if (result.status !== 0) throw new Error(`npm ${args.join(' ')} failed`);
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  child.kill('SIGTERM');
  const force = setTimeout(() => child.kill('SIGKILL'), 10_000);
  await exit;
  clearTimeout(force);
}

function processTree(pid: number): number[] {
  const children = readdirSync(`/proc/${pid}/task`).flatMap((task) => {
    const listed = readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').trim();
    return listed === '' ? [] : listed.split(' ').map(Number);
  });
  return [pid, ...children.flatMap(processTree)];
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() =>
        address && typeof address === 'object' ? resolve(address.port) : reject(new Error('no port')),
      );
    });
  });
}
