import type { Message } from '../red.ts';

/**
 * Readies what the code of a function node threw to be reported, and keeps it in the message for Catch nodes.
 * @returns an Error with the position of a name that does not exist in its message, or text.
 */
export function describeFailure(thrown: unknown, message: Message): unknown {
  if (typeof thrown === 'string') return thrown;
  if (typeof thrown !== 'object' || thrown === null || !('stack' in thrown)) return JSON.stringify(thrown);
  const error = thrown as { stack: unknown; message?: unknown };
  message.error = error;
  if (typeof error.stack !== 'string') return error;
  const lines = ownFrames(error.stack.split(/\r?\n/));
  const at = lines.findIndex((line) => line.startsWith('ReferenceError'));
  assign(error, 'stack', lines.join('\n'));
  if (at < 0) return error;
  // The frame of the function itself has no name: its line ends in the position.
  const position = /:(?<line>\d+):(?<column>\d+)$/.exec(lines[at + 1] ?? '')?.groups;
  const where =
    position === undefined ? '' : ` (line ${Number(position['line']) - 1}, col ${position['column']})`;
  assign(error, 'message', `${lines[at]}${where}`);
  return error;
}

/** Leaves out what called the function. */
function ownFrames(lines: readonly string[]): readonly string[] {
  const last = lines.findLastIndex((line) => line.includes('Function node'));
  return last < 0 ? lines : lines.slice(0, last + 1);
}

/** Errors may be frozen; they are then reported as they are. */
function assign(error: object, property: string, value: string): void {
  Reflect.set(error, property, value);
}
