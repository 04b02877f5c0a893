import { workerData } from 'node:worker_threads';

const { parent } = workerData as { parent: number };

setInterval(() => {
  if (!isThere()) process.kill(process.pid, 'SIGKILL');
}, 500);

function isThere(): boolean {
  // An orphan is given another parent, but not on Windows.
  if (process.ppid !== parent) return false;
  try {
    process.kill(parent, 0);
    return true;
  } catch {
    return false;
  }
}
