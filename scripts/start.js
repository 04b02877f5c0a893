// `npm start [-- flags]`: installs and builds what is missing, then runs Sluice on the pinned Node.js.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { ensureBuilt, ensureInstalled, pinnedNode, root } from './ensure.js';

const shell = process.ppid;
ensureInstalled();
ensureBuilt();
const child = spawn(pinnedNode(), [join(root, 'bin', 'sluice.js'), ...process.argv.slice(2)], {
  stdio: 'inherit',
});
// Ctrl-C reaches the child by the terminal's process group; a signal to this process alone must be passed on.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
child.on('exit', (code, signal) => process.exit(code ?? (signal ? 1 : 0)));

// npm runs this through a shell that dies of a SIGTERM without passing it on. The end of that shell is the signal then.
if (process.env.npm_lifecycle_event) {
  const watch = setInterval(() => {
    if (process.ppid === shell) return;
    clearInterval(watch);
    child.kill('SIGTERM');
  }, 200);
}
