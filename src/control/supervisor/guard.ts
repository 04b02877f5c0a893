import { accessSync, constants } from 'node:fs';

/**
 * Who ends the engine when this process is gone: an engine in an endless loop does not see for itself that its link closed.
 * - `shell`: a waiting shell beside the engine, of a tenth of a megabyte
 * - `thread`: a thread of the engine, of ten megabytes
 * - `kernel`: this process is the first of its PID namespace, and with it the kernel ends every other
 */
export type Guard = 'shell' | 'thread' | 'kernel';

const shell = '/bin/sh';

/** The file descriptor whose end tells the shell that this process is gone. */
export const guardDescriptor = 4;

/** The cheapest guard that there is on this machine. */
export function chooseGuard(): Guard {
  if (process.platform === 'win32') return 'thread';
  if (process.pid === 1) return 'kernel';
  try {
    accessSync(shell, constants.X_OK);
    return 'shell';
  } catch {
    return 'thread'; // An image with nothing in it but Node.js.
  }
}

/**
 * The companion waits for a line (the engine has ended) or the end of the pipe (this process has). Then it leaves the engine
 * a second to tidy up and end by itself, and kills it. It holds nothing of the engine's pipes open.
 *
 * `$$` stays the engine's number, as the shell becomes the engine. Nobody else can get that number before the companion
 * has ended: it is the number of the process group in which the companion is, if the engine is started as its leader.
 */
const script = `
(
  trap '' HUP INT TERM
  read -r line <&${guardDescriptor} || { sleep 1; kill -9 $$; }
) </dev/null >/dev/null 2>&1 3>&- &
exec "$0" "$@" ${guardDescriptor}<&-
`;

/** The command that starts `command` with the shell beside it. To be spawned detached, with a pipe at {@link guardDescriptor}. */
export function underShell(
  command: string,
  parameters: readonly string[],
): { readonly command: string; readonly parameters: readonly string[] } {
  return { command: shell, parameters: ['-c', script, command, ...parameters] };
}
