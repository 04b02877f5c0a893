import { AppError } from '../../contract/errors.ts';

/**
 * The request is not allowed: 401 without a body (decision 4).
 * @remarks `challenge` becomes the `WWW-Authenticate` header (RFC 6750, 3).
 */
export class Unauthorized extends AppError {
  readonly challenge: string;

  private constructor(challenge: string, message: string) {
    super('unauthorized', { message });
    this.name = 'Unauthorized';
    this.challenge = challenge;
  }

  /** No token was sent, or a log-in failed. */
  static missing(why = 'no token'): Unauthorized {
    return new Unauthorized('Bearer', why);
  }

  /** A token was sent that is unknown, expired or revoked. */
  static badToken(): Unauthorized {
    return new Unauthorized('Bearer error="invalid_token"', 'bad token');
  }

  /** A good token was sent that does not grant what the route needs. */
  static notGranted(needed: string): Unauthorized {
    return new Unauthorized(`Bearer error="insufficient_scope", scope="${needed}"`, `${needed} not granted`);
  }
}

/** The caller must slow down: 429 without a body, with `Retry-After` (decision 13). */
export class TooManyAttempts extends AppError {
  /** Whole seconds, at least 1. */
  readonly retryAfter: number;

  constructor(retryAfterMs: number) {
    super('too_many_attempts');
    this.name = 'TooManyAttempts';
    this.retryAfter = Math.max(1, Math.ceil(retryAfterMs / 1000));
  }
}
