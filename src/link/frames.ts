import type { ErrorCode } from '../contract/errors.ts';

/** What crosses the link: one JSON text each. Both ends are of the same build, so it is parsed and trusted. */
export type Frame =
  | { readonly is: 'call'; readonly id: number; readonly method: string; readonly asks: unknown }
  | { readonly is: 'answer'; readonly id: number; readonly gives: unknown }
  | {
      readonly is: 'refusal';
      readonly id: number;
      readonly code: ErrorCode;
      /** For the client. */
      readonly detail: string;
      /** For the log. */
      readonly message: string;
    }
  | { readonly is: 'event'; readonly event: string; readonly data: unknown };
