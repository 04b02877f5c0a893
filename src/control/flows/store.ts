import { AppError } from '../../contract/errors.ts';
import type { Credentials, FlowConfig, NodeCredentials } from '../../contract/flows.ts';
import type { FlowsDelta } from '../../contract/flows-delta.ts';
import type { Logger } from '../../logging/logger.ts';
import type { SealedCredentials } from '../../storage/credential-cipher.ts';
import type { CredentialEncryption, CredentialFile } from '../../storage/credential-file.ts';
import type { FlowFile } from '../../storage/flow-file.ts';
import { Mutex } from '../../storage/mutex.ts';
import { SerialisedFlows } from '../../storage/serialised-flows.ts';
import { type CredentialMap, changedIds, takeCredentials } from './credential-changes.ts';

/** Flows and credentials that belong together. */
export interface StoredFlows {
  readonly serialised: SerialisedFlows;
  readonly credentials: CredentialMap;
}

/** What to store instead. */
export interface NextFlows {
  readonly flows: FlowConfig;
  readonly credentials: CredentialMap;
}

/** What a commit came to. */
export interface Committed {
  /** What is stored now, told by what was before; absent where they have nothing in common. */
  readonly delta: FlowsDelta | undefined;
  /** Ids whose credentials changed. */
  readonly changed: readonly string[];
}

/** What could not be read; each stays on disk as it is, and a copy stays when something else is stored. */
export interface LoadProblems {
  readonly flows?: string;
  readonly credentials?: string;
}

/**
 * Flows and credentials, in memory and on disk.
 * @remarks A commit is durable before it counts: credentials first, then flows, then what is left over of credentials is
 * removed, so that no moment leaves a node without the credentials that it has in the flow file.
 */
export class FlowStore {
  readonly #flowFile: FlowFile;
  readonly #credentialFile: CredentialFile;
  readonly #log: Logger;
  readonly #mutex = new Mutex();
  #stored: StoredFlows = { serialised: SerialisedFlows.of([]), credentials: new Map() };
  #flowsBroken = false;
  #leftover = false;

  constructor(deps: {
    readonly flowFile: FlowFile;
    readonly credentialFile: CredentialFile;
    readonly log: Logger;
  }) {
    this.#flowFile = deps.flowFile;
    this.#credentialFile = deps.credentialFile;
    this.#log = deps.log;
  }

  get stored(): StoredFlows {
    return this.#stored;
  }

  /** Absolute path of the flow file. */
  get path(): string {
    return this.#flowFile.path;
  }

  get encryption(): CredentialEncryption {
    return this.#credentialFile.encryption;
  }

  /**
   * Reads both files and takes what they hold; a broken flow file holds nothing.
   * @param check is shown the flows first; where it throws, or the flow file is broken, all stays as it was
   */
  load(check?: (flows: FlowConfig) => void): Promise<LoadProblems> {
    return this.#mutex.run(async () => {
      const content = await this.#flowFile.read();
      if (check !== undefined) {
        if (content.is === 'broken') return { flows: content.reason };
        check(content.flows);
      }
      const loaded = await this.#credentialFile.load();
      const credentials = new Map(Object.entries(loaded.is === 'open' ? loaded.credentials : {}));
      this.#flowsBroken = content.is === 'broken';
      // Credentials that somebody wrote into the flow file by hand are used, and leave it with the next deploy.
      const taken = takeCredentials(content.is === 'broken' ? [] : content.flows, credentials, undeclared);
      this.#stored = {
        serialised: SerialisedFlows.of(taken.flows),
        credentials: new Map([...credentials, ...taken.credentials]),
      };
      return {
        ...(content.is === 'broken' ? { flows: content.reason } : {}),
        ...(loaded.is === 'locked' ? { credentials: loaded.reason } : {}),
      };
    });
  }

  /**
   * Stores what `make` makes of what is stored now.
   * @throws AppError `storage.failed`, with all as it was; whatever `make` throws
   */
  commit(make: (now: StoredFlows) => Promise<NextFlows> | NextFlows): Promise<Committed> {
    return this.#mutex.run(async () => {
      const before = this.#stored.credentials;
      const next = await make(this.#stored);
      const { serialised, delta } = this.#stored.serialised.next(next.flows);
      const changed = changedIds(before, next.credentials);
      const gone = changed.filter((id) => !next.credentials.has(id));
      const setsAny = changed.length > gone.length;
      await durably(async () => {
        if (setsAny) await this.#save(new Map([...before, ...next.credentials]));
        try {
          await this.#flowFile.write(serialised);
        } catch (error) {
          if (setsAny) await this.#save(before).catch(() => {});
          throw error;
        }
      });
      this.#stored = { serialised, credentials: next.credentials };
      if (gone.length > 0 || this.#leftover || this.#credentialFile.outdated) await this.#removeLeftovers();
      this.#flowsBroken = false;
      return { delta, changed };
    });
  }

  /** Stores (`null`: deletes) the credentials of one node. */
  setCredentials(id: string, credentials: NodeCredentials | null): Promise<void> {
    return this.#mutex.run(async () => {
      const next = new Map(this.#stored.credentials);
      if (credentials === null) next.delete(id);
      else next.set(id, credentials);
      if (changedIds(this.#stored.credentials, next).length === 0) return;
      await durably(() => this.#save(next));
      this.#stored = { ...this.#stored, credentials: next };
    });
  }

  /** Decrypts credentials that a client sent encrypted; `undefined` where no known secret fits. */
  unseal(sealed: SealedCredentials): Promise<Credentials | undefined> {
    return this.#credentialFile.open(sealed);
  }

  #save(credentials: CredentialMap): Promise<void> {
    // While the flow file is broken, the file also holds the credentials of the nodes in there.
    return this.#credentialFile.save(Object.fromEntries(credentials), { keepCopy: this.#flowsBroken });
  }

  async #removeLeftovers(): Promise<void> {
    const { credentials } = this.#stored;
    // A file that can't be decrypted is not replaced by nothing.
    if (this.#credentialFile.locked && credentials.size === 0) return;
    try {
      await this.#save(credentials);
      this.#leftover = false;
    } catch (err) {
      this.#leftover = true;
      this.#log.warn(
        'Credentials of removed nodes could not be removed from disk; the next deploy tries again',
        { err },
      );
    }
  }
}

/** Before the engine runs nothing is known of types; then nothing is dropped. */
const undeclared = { credentialFields: () => undefined, isRegistered: () => false };

async function durably(write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (cause) {
    throw new AppError('storage.failed', {
      message: `flows or credentials could not be written: ${cause}`,
      cause,
    });
  }
}
