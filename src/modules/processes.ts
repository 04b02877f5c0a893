import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';

/** A process, told apart from a later one with the same id. */
export interface ProcessIdentity {
  readonly pid: number;
  /** When it started, in the system's own unit; `undefined` where that is not known. */
  readonly started?: string;
}

/** Name of the environment variable that marks every process of a job. */
export const jobVariable = 'SLUICE_INSTALL_JOB';

/** The identity of a running process, by default this one. */
export function identityOf(pid: number = process.pid): ProcessIdentity {
  const started = startOf(pid);
  return { pid, ...(started === undefined ? {} : { started }) };
}

/** Whether a process of this identity still runs. */
export function isRunning({ pid, started }: ProcessIdentity): boolean {
  // Ids from 0 down mean groups.
  if (pid <= 0) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    // Without permission to signal it, it is there.
    if (!(error instanceof Error && 'code' in error && error.code === 'EPERM')) return false;
  }
  const now = startOf(pid);
  return started === undefined || now === undefined || now === started;
}

/**
 * Ends every process of a job at once, wherever it went, and waits until it is gone.
 * @param marker the value of {@link jobVariable} in its environment.
 * @returns how many were ended.
 */
export async function endJob(marker: string): Promise<number> {
  const pids = processesOf(marker);
  for (const pid of pids) kill(pid);
  const deadline = Date.now() + 5000;
  while (processesOf(marker).length > 0 && Date.now() < deadline) await wait(10);
  return pids.length;
}

/** Ends a process group at once; on Windows the process tree. */
export function endGroup(leader: number): void {
  if (process.platform === 'win32') spawnSync('taskkill', ['/pid', String(leader), '/T', '/F']);
  else kill(-leader);
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // Gone already.
  }
}

/** Ids of the processes whose environment (on Linux) or command line (elsewhere) carries the marker. */
function processesOf(marker: string): number[] {
  if (process.platform === 'linux') {
    const variable = `${jobVariable}=${marker}`;
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
      .filter((name) => readOrEmpty(`/proc/${name}/environ`).split('\0').includes(variable))
      .map(Number);
  }
  if (process.platform === 'win32') return [];
  const { stdout } = spawnSync('ps', ['-axww', '-o', 'pid=,pgid=,command='], { encoding: 'utf8' });
  const lines = (stdout ?? '').split('\n').map((line) => line.trim().split(/\s+/));
  const leaders = lines.filter((words) => words.includes(marker)).map(([pid]) => pid);
  return lines.filter(([, group]) => leaders.includes(group)).map(([pid]) => Number(pid));
}

function startOf(pid: number): string | undefined {
  if (process.platform !== 'linux') return undefined;
  // Field 22 of stat(5); the second field is a name in brackets that may hold spaces.
  const stat = readOrEmpty(`/proc/${pid}/stat`);
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
}

function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}
