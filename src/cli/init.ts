import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { settingsFileNames } from '../settings/load.ts';
import { writeFileAtomic } from '../storage/atomic-file.ts';
import { hashPassword } from './hash-password.ts';
import { Prompter } from './prompter.ts';
import { settingsTemplate } from './settings-template.ts';
import { UsageError } from './usage-error.ts';
import { defaultUserDir, ensureUserDir } from './user-dir.ts';

/**
 * `sluice init`: asks for a user, a password, a port and a credential secret, and writes `settings.js`.
 * @remarks Asks before it replaces a file; the old one is then kept as `settings.js.backup`.
 */
export async function init(options: { readonly userDir?: string; readonly port?: number }): Promise<void> {
  const userDir = options.userDir ?? defaultUserDir();
  ensureUserDir(userDir);
  const file = join(userDir, 'settings.js');
  using prompter = new Prompter(process.stdin, process.stdout);
  await confirmReplacing(prompter, userDir);
  const username = await askUsername(prompter);
  const password = await askNewPassword(prompter);
  const port = await askPort(prompter, options.port);
  const secret = await prompter.askSecret('Secret for the credentials of nodes [a random one]');
  const passwordHash = await hashPassword(password, 'argon2id');
  const credentialSecret = secret.trim() || randomBytes(32).toString('base64url');
  const text = settingsTemplate({ admin: { username, passwordHash }, port, credentialSecret });
  await writeFileAtomic(file, text, { mode: 0o600, backup: `${file}.backup` });
  process.stdout.write(
    `Wrote ${file}\nStart with: sluice${options.userDir ? ` -u ${options.userDir}` : ''}\n`,
  );
}

async function confirmReplacing(prompter: Prompter, userDir: string): Promise<void> {
  const existing = settingsFileNames.find((name) => existsSync(join(userDir, name)));
  if (existing === undefined) return;
  if (existing !== 'settings.js')
    throw new UsageError(`${join(userDir, existing)} exists; move it away first`);
  const answer = await prompter.ask(`${join(userDir, existing)} exists. Replace it? (yes/no)`, 'no');
  if (!/^y(es)?$/i.test(answer)) throw new UsageError('nothing was written');
}

async function askUsername(prompter: Prompter): Promise<string> {
  return prompter.ask('User name', 'admin');
}

async function askNewPassword(prompter: Prompter): Promise<string> {
  for (;;) {
    const password = await prompter.askSecret('Password');
    if (password.length < 8) process.stdout.write('At least 8 characters, please.\n');
    else if ((await prompter.askSecret('Password again')) === password) return password;
    else process.stdout.write('The two differ.\n');
  }
}

async function askPort(prompter: Prompter, given: number | undefined): Promise<number> {
  for (;;) {
    const port = await prompter.ask('Port', String(given ?? 1880));
    if (/^\d{1,5}$/.test(port) && Number(port) <= 65_535) return Number(port);
    process.stdout.write('A whole number from 0 to 65535, please.\n');
  }
}
