/**
 * The `sluice` command. What a command needs is loaded when it is asked for, so that `--help` and `--version` answer at
 * once.
 */

import { ownVersion } from '../control/version.ts';
import { keepCompiledCode } from '../storage/compile-cache.ts';
import { type Command, parseCommandLine } from './command-line.ts';
import { helpText } from './flags.ts';

/** Carries out a command; resolves when it has been, or, for the server, once it has stopped. */
async function run(command: Command): Promise<void> {
  switch (command.is) {
    case 'help':
      process.stdout.write(helpText(ownVersion()));
      return;
    case 'version':
      process.stdout.write(`Sluice v${ownVersion()}\nNode.js ${process.version}\n`);
      return;
    case 'start':
      keepCompiledCode();
      return (await import('./start.ts')).start(command.flags);
    case 'init':
      return (await import('./init.ts')).init(command);
    case 'hash-pw':
      return (await import('./hash-pw.ts')).hashPw(command.algorithm);
    default:
      return command satisfies never;
  }
}

/** Errors that are meant for whoever typed the command; any other is a fault of ours and shows its stack. */
const foreseen = new Set(['UsageError', 'SettingsError']);

try {
  await run(parseCommandLine(process.argv.slice(2)));
} catch (error) {
  const known = error instanceof Error && foreseen.has(error.name);
  const text = known ? error.message : error instanceof Error ? error.stack : String(error);
  for (const line of String(text).split('\n'))
    process.stderr.write(known ? `sluice: ${line}\n` : `${line}\n`);
  process.exitCode = 1;
}
// Should anything still hold the process, it does not for long.
setTimeout(() => process.exit(), 1000).unref();
