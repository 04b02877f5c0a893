/**
 * Every error that a client can see: its stable code, its HTTP status and the words for the wire.
 * @remarks `detail` of an {@link AppError} replaces the words where the case needs to be named (which field, which
 * module); `message` and `cause` are for the log only.
 */
export const errors = {
  bad_request: { status: 400, message: 'The request could not be understood' },
  invalid_request: { status: 400, message: 'Invalid request' },
  unsupported_grant_type: { status: 400, message: 'The grant type must be "password"' },
  unexpected_error: { status: 400, message: 'The request could not be carried out' },
  invalid_api_version: { status: 400, message: 'Invalid API Version requested' },
  invalid_flow: { status: 400, message: 'The flow configuration is not valid' },
  credentials_load_failed: { status: 400, message: 'The credentials could not be decrypted' },
  invalid_run_state: { status: 400, message: 'The state must be "start" or "stop"' },
  invalid_module_name: { status: 400, message: 'The module name is not valid' },
  invalid_module_url: { status: 400, message: 'The module URL is not valid' },
  invalid_package: { status: 400, message: 'The package is not a node module' },
  invalid_tarball: { status: 400, message: 'The file is not a valid module package (.tgz)' },
  module_already_loaded: { status: 400, message: 'Module already loaded' },
  install_not_allowed: { status: 400, message: 'The installation of this module is not allowed' },
  update_not_allowed: { status: 400, message: 'The update of this module is not allowed' },
  install_failed: { status: 400, message: 'The installation failed' },
  type_in_use: { status: 400, message: 'Type in use' },
  type_already_registered: { status: 400, message: 'Type already registered' },
  module_not_allowed: { status: 400, message: 'Module not allowed' },
  settings_unavailable: { status: 400, message: 'Settings are not available' },
  not_found: { status: 404, message: 'Not found' },
  forbidden: { status: 403, message: 'Forbidden' },
  unauthorized: { status: 401, message: 'Unauthorized' },
  'diagnostics.disabled': { status: 403, message: 'Diagnostics are disabled' },
  version_mismatch: { status: 409, message: 'The flows have been changed by somebody else' },
  body_too_large: { status: 413, message: 'The request body is too large' },
  unsupported_media_type: {
    status: 415,
    message: 'The content encoding or the charset of the body is not supported',
  },
  too_many_attempts: { status: 429, message: 'Too many attempts' },
  internal_error: { status: 500, message: 'An internal error occurred; the log has the details' },
  'storage.failed': { status: 500, message: 'The change could not be written to disk' },
  'auth.unavailable': { status: 503, message: 'The users could not be asked for; try again' },
  'engine.starting': { status: 503, message: 'The engine is starting; try again in a moment' },
  'engine.gone': { status: 503, message: 'The engine stopped before it answered; it is being restarted' },
  'engine.unresponsive': { status: 503, message: 'The engine does not respond; a deploy replaces it' },
  'engine.timeout': { status: 503, message: 'The engine did not answer in time' },
  'engine.failed': { status: 500, message: 'The engine could not carry out the request' },
  'flows.not_started': { status: 503, message: 'The flows were saved, but could not be started' },
} as const satisfies Record<string, { status: number; message: string }>;

/** A stable word for one kind of error; a key of {@link errors}. */
export type ErrorCode = keyof typeof errors;

/** What may accompany an {@link AppError}. */
export interface AppErrorOptions {
  /** The words for the client, where the table's own do not name the case. Never a path or a stack. */
  readonly detail?: string;
  /** The words for the log; defaults to the client's. */
  readonly message?: string;
  readonly cause?: unknown;
}

/** An error that was foreseen: a code of the table, words for the client, words for the log. */
export class AppError extends Error {
  readonly code: ErrorCode;
  /** What a client is told. */
  readonly detail: string;

  constructor(code: ErrorCode, options: AppErrorOptions = {}) {
    const detail = options.detail ?? errors[code].message;
    super(options.message ?? detail, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'AppError';
    this.code = code;
    this.detail = detail;
  }

  /** The HTTP status that belongs to the code. */
  get status(): number {
    return errors[this.code].status;
  }
}
