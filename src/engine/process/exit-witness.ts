/**
 * Tells, while the process ends because somebody called `process.exit`, where that call stands.
 * @remarks An `exit` listener runs inside the call, so its stack leads to the caller. It is given the stack's lines
 * outside of Node.js, innermost first; none, where the process ends for another reason.
 */
export function witnessExit(tell: (code: number, callers: readonly string[]) => void): void {
  process.on('exit', (code) => {
    const limit = Error.stackTraceLimit;
    Error.stackTraceLimit = 50;
    const lines = (new Error().stack ?? '').split('\n').slice(1);
    Error.stackTraceLimit = limit;
    const callers = lines
      .map((line) => line.trim().replace(/^at /, ''))
      .filter(
        (line) => !/\(?node:internal|\(?node:events/.test(line) && !line.includes(import.meta.filename),
      );
    tell(code, callers);
  });
}
