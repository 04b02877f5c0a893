import { type HashAlgorithm, hashPassword } from './hash-password.ts';
import { Prompter } from './prompter.ts';
import { UsageError } from './usage-error.ts';

/** `sluice hash-pw`: asks for a password and prints its hash. The question goes to the error stream, for use in scripts. */
export async function hashPw(algorithm: HashAlgorithm): Promise<void> {
  using prompter = new Prompter(process.stdin, process.stderr);
  const password = await prompter.askSecret('Password');
  if (password === '') throw new UsageError('the password must not be empty');
  process.stdout.write(`${await hashPassword(password, algorithm)}\n`);
}
