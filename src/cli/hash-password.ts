/** The kinds of password hashes that can be made. */
export type HashAlgorithm = 'argon2id' | 'bcrypt';

/** The hash of a password, for `adminAuth.users[].password`. Each call gives another one (random salt). */
export async function hashPassword(password: string, algorithm: HashAlgorithm): Promise<string> {
  // Both packages load a native library, so only the one that is asked for; their defaults are today's advice (OWASP).
  switch (algorithm) {
    case 'argon2id':
      return (await import('@node-rs/argon2')).hash(password);
    case 'bcrypt':
      return (await import('@node-rs/bcrypt')).hash(password);
    default:
      return algorithm satisfies never;
  }
}
