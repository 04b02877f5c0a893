import { randomBytes } from 'node:crypto';
import { basename } from 'node:path';
import type { Credentials } from '../contract/flows.ts';
import { isObject, type JsonObject } from '../contract/json.ts';
import type { Logger } from '../logging/logger.ts';
import { isSealed, type SealedCredentials, seal, unseal } from './credential-cipher.ts';
import { JsonDocument } from './json-document.ts';
import type { RuntimeConfig } from './runtime-config.ts';

/** Key of the generated secret in `.config.runtime.json`. */
const generatedSecretKey = '_credentialSecret';

/** How credentials lie on disk: in clear, by a generated secret, by the secret of the settings file. */
export type CredentialEncryption = 'disabled' | 'system' | 'user';

/** What a {@link CredentialFile} needs. */
export interface CredentialFileOptions {
  readonly path: string;
  readonly pretty: boolean;
  readonly readOnly: boolean;
  /** The setting `credentialSecret`: a secret, `false` for no encryption, absent for a generated secret. */
  readonly secret: string | false | undefined;
  readonly runtime: RuntimeConfig;
  readonly log: Logger;
}

/** What the credential file was found to hold. */
export type LoadedCredentials =
  | { readonly is: 'open'; readonly credentials: Credentials }
  /** Nothing could be read: the secret was changed or lost, or the file is damaged. The words say which. */
  | { readonly is: 'locked'; readonly reason: string };

/**
 * The credential file, in the peer's format both ways.
 * @remarks Where a secret is set (or encryption disabled) but the file was encrypted with the generated one, it is read
 * with that, written the new way at the next save, and the generated secret is then forgotten. A file that can't be
 * read is never lost: it stays as it is until credentials are saved again, and a copy stays beside it then.
 */
export class CredentialFile {
  readonly #options: CredentialFileOptions;
  readonly #document: JsonDocument;
  #locked = false;
  #outdated = false;

  constructor(options: CredentialFileOptions) {
    this.#options = options;
    this.#document = new JsonDocument({ ...options, mode: 0o600 });
  }

  get encryption(): CredentialEncryption {
    const { secret } = this.#options;
    if (secret === false) return 'disabled';
    return secret === undefined ? 'system' : 'user';
  }

  /** What is on disk was written another way than the settings now say: to be saved at the next deploy. */
  get outdated(): boolean {
    return this.#outdated;
  }

  /** Whether the last {@link load} found something that it could not read, and nothing was saved since. */
  get locked(): boolean {
    return this.#locked;
  }

  /** Reads and decrypts. Rejects only where the runtime configuration can't be read. */
  async load(): Promise<LoadedCredentials> {
    const loaded = await this.#load();
    this.#locked = loaded.is === 'locked';
    return loaded;
  }

  /** Decrypts credentials that a client sent encrypted; `undefined` where no known secret fits. */
  async open(sealed: SealedCredentials): Promise<Credentials | undefined> {
    for (const secret of await this.#secrets()) {
      const credentials = unseal(sealed, secret);
      if (credentials !== undefined) return credentials;
    }
    return undefined;
  }

  /**
   * Encrypts and writes. Durable when the promise resolves; when it rejects, the old content is still there.
   * @param keepCopy keeps the old content as a copy beside the file, as is always done with one that is locked
   */
  async save(credentials: Credentials, { keepCopy = false } = {}): Promise<void> {
    if (this.#options.readOnly) return;
    const secret = this.#options.secret ?? (await this.#generatedSecret());
    const content = secret === false ? credentials : seal(credentials, secret);
    const aside = this.#locked ? 'undecryptable' : keepCopy ? 'replaced' : undefined;
    await this.#document.write(content, aside);
    this.#locked = false;
    this.#outdated = false;
    if (this.#options.secret !== undefined) await this.#forgetGeneratedSecret();
  }

  async #load(): Promise<LoadedCredentials> {
    const name = basename(this.#options.path);
    const content = await this.#document.read();
    this.#outdated = false;
    if (content.is === 'missing') return { is: 'open', credentials: {} };
    if (content.is === 'broken') return { is: 'locked', reason: `${name}: ${content.reason}` };
    const { value } = content;
    if (!isSealed(value)) {
      if (!isObject(value)) return { is: 'locked', reason: `${name}: it must hold an object` };
      this.#outdated = this.encryption !== 'disabled' && Object.keys(value).length > 0;
      return { is: 'open', credentials: entriesOf(value) };
    }
    const credentials = await this.open(value);
    if (credentials === undefined) return { is: 'locked', reason: `${name}: ${await this.#whyLocked()}` };
    const generated = (await this.#options.runtime.read())[generatedSecretKey];
    this.#outdated = this.#options.secret !== undefined && typeof generated === 'string';
    return { is: 'open', credentials: entriesOf(credentials) };
  }

  async #whyLocked(): Promise<string> {
    switch (this.encryption) {
      case 'disabled':
        return 'it is encrypted, but credentialSecret is false and no generated secret is left in .config.runtime.json';
      case 'system':
        return (await this.#secrets()).length === 0
          ? 'it is encrypted, but there is neither a credentialSecret setting nor a generated secret in .config.runtime.json'
          : 'it was not encrypted with the generated secret in .config.runtime.json';
      case 'user':
        return 'it was not encrypted with the present credentialSecret setting';
      default:
        return this.encryption satisfies never;
    }
  }

  /** Those that the file may have been encrypted with, likeliest first. */
  async #secrets(): Promise<string[]> {
    const { secret, runtime } = this.#options;
    const generated = (await runtime.read())[generatedSecretKey];
    return [secret, generated].filter((one) => typeof one === 'string');
  }

  async #generatedSecret(): Promise<string> {
    const fresh = randomBytes(32).toString('hex');
    const config = await this.#options.runtime.update((old) =>
      typeof old[generatedSecretKey] === 'string' ? old : { ...old, [generatedSecretKey]: fresh },
    );
    return String(config[generatedSecretKey]);
  }

  async #forgetGeneratedSecret(): Promise<void> {
    await this.#options.runtime.update((old) => {
      if (!(generatedSecretKey in old)) return old;
      const { [generatedSecretKey]: _, ...rest } = old;
      return rest;
    });
  }
}

/** Credentials by id; what is none is left out, lest a hand-edited file fails requests. */
function entriesOf(value: JsonObject): Credentials {
  return Object.fromEntries(Object.entries(value).filter(([, one]) => isObject(one))) as Credentials;
}
