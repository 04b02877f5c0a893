import { type ErrorCode, errors } from '../contract/errors.ts';
import { isObject } from '../contract/json.ts';

/** What crosses the link: one JSON text each. Both ends are of the same build, so what a frame carries is trusted. */
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

/**
 * Reads a frame.
 * @returns `undefined` where the text is none: code of modules can write into the engine's end of the pipe.
 */
export function readFrame(text: string): Frame | undefined {
  let frame: unknown;
  try {
    frame = JSON.parse(text);
  } catch {
    return undefined;
  }
  return isFrame(frame) ? frame : undefined;
}

function isFrame(frame: unknown): frame is Frame {
  if (!isObject(frame)) return false;
  const { is, id, method, event, code, detail, message } = frame;
  switch (is) {
    case 'call':
      return typeof id === 'number' && typeof method === 'string';
    case 'answer':
      return typeof id === 'number';
    case 'refusal':
      return (
        typeof id === 'number' &&
        Object.hasOwn(errors, String(code)) &&
        typeof detail === 'string' &&
        typeof message === 'string'
      );
    case 'event':
      return typeof event === 'string';
    default:
      return false;
  }
}
