/** The server refused a request. */
export class ApiError extends Error {
  /** The HTTP status. */
  readonly status: number;
  /** The stable word for the kind of error (docs/errors.md); absent where the answer has no body (401, some 404). */
  readonly code: string | undefined;

  constructor(status: number, code?: string, message?: string) {
    super(message ?? `The server answered ${status}`);
    this.name = 'ApiError';
    this.status = status;
    this.code = code;
  }
}
