import { hash } from 'node:crypto';

/**
 * Checks a password against a bcrypt (`$2a$`, `$2b$`, `$2y$`) or argon2 hash, off the main thread.
 * @returns false for a wrong password, and for a hash of any other kind.
 */
export async function verifyPassword(password: string, stored: string): Promise<boolean> {
  try {
    // Loaded when somebody first logs in, as most starts see no log-in for a while.
    if (/^\$2[aby]\$/.test(stored)) return await (await import('@node-rs/bcrypt')).verify(password, stored);
    if (/^\$argon2(id|i|d)\$/.test(stored))
      return await (await import('@node-rs/argon2')).verify(stored, password);
    return false;
  } catch {
    return false; // A damaged hash fits no password.
  }
}

/** Of a password that nobody knows: what an unknown user is checked against where no other hash is at hand. */
const lastResort = '$2b$08$YPQLSs5zuRmPVtheIMruZOiRmwFnpa.uAJNSVTKhPnRwd7S4sp6wi';

/**
 * A hash to check an unknown user's password against, so that it takes as long as a known user's.
 * @param hashes those of the known users. The name chooses one, so that names spread over their costs as users do.
 */
export function decoyFor(username: string, hashes: readonly string[]): string {
  if (hashes.length === 0) return lastResort;
  const digest = hash('sha256', username, 'buffer');
  return hashes[digest.readUInt32BE(0) % hashes.length] ?? lastResort;
}
