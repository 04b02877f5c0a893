/** Why an engine process ended. */
export type ExitReason =
  /** It ended itself (`process.exit`, or an error that was to end it). */
  | {
      readonly is: 'exit';
      readonly code: number;
      /** Line of the stack that called `process.exit`. */
      readonly calledAt?: string;
    }
  /** Something killed it: a native crash, the operating system, a person. */
  | { readonly is: 'signal'; readonly signal: NodeJS.Signals }
  /** V8's heap limit was reached. */
  | { readonly is: 'out-of-memory' }
  /** The supervisor ended it. */
  | { readonly is: 'ended'; readonly why: string }
  /** It never came up. */
  | { readonly is: 'not-started'; readonly why: string };

/** Names the reason from what the operating system told and the last that the process wrote to stderr. */
export function exitReason(
  code: number | null,
  signal: NodeJS.Signals | null,
  lastWords: string,
): ExitReason {
  const aborted = signal === 'SIGABRT' || signal === 'SIGTRAP' || code === 134;
  if (aborted && /heap out of memory|Allocation failed/.test(lastWords)) return { is: 'out-of-memory' };
  if (signal !== null) return { is: 'signal', signal };
  return { is: 'exit', code: code ?? 0 };
}

/** The reason in words for an administrator, to follow "the engine". */
export function describeExit(exit: ExitReason): string {
  switch (exit.is) {
    case 'exit':
      return exit.calledAt === undefined
        ? `ended itself with exit code ${exit.code}`
        : `ended itself with exit code ${exit.code} (process.exit was called at ${exit.calledAt})`;
    case 'signal':
      return exit.signal === 'SIGKILL'
        ? 'was killed by SIGKILL (by somebody, or because the system ran out of memory)'
        : `was killed by ${exit.signal}`;
    case 'out-of-memory':
      return 'ran out of memory (its heap limit: setting engine.memoryLimitMb)';
    case 'ended':
      return `was ended: ${exit.why}`;
    case 'not-started':
      return `could not be started: ${exit.why}`;
    default:
      return exit satisfies never;
  }
}
