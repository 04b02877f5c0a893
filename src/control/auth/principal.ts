import type { Scope } from '../../contract/permissions.ts';

/** A user as the rest of the program may see it: never with a password or a token. */
export interface UserRecord {
  readonly username: string;
  /** What the user holds now. */
  readonly permissions: Scope;
  /** Free properties of the settings file's record, such as `image`. */
  readonly [property: string]: unknown;
}

/** Who is asking, and what the request may do. */
export interface Principal {
  /** Absent for an anonymous request. */
  readonly user?: UserRecord;
  /** What the request may do: what the token's scope grants and its user holds now (decision 11). */
  readonly scope: Scope;
  readonly anonymous: boolean;
  /** Public id of the access token that was used. */
  readonly tokenId?: string;
}

/** Whoever calls an open route: nobody asked, so nothing is granted. */
export const stranger: Principal = { scope: [], anonymous: true };

/** Everybody, where no `adminAuth` is configured: every request is accepted. */
export const everybody: Principal = { scope: ['*'], anonymous: true };
