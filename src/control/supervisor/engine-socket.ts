import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Where an engine serves node-owned HTTP, and the word by which it knows the control plane. */
export interface EngineAddress {
  readonly socketPath: string;
  readonly secret: string;
}

/**
 * Gives each engine process a private Unix socket (a named pipe on Windows) of its own, so that one that is slow to die
 * is never in the way of the next. The folder is readable by this user alone.
 */
export class EngineSockets {
  readonly #folder: string;
  #count = 0;

  constructor() {
    // Not in the user directory: the path of a Unix socket may not be longer than about 100 characters.
    this.#folder =
      process.platform === 'win32'
        ? `\\\\.\\pipe\\sluice-${randomBytes(16).toString('hex')}`
        : mkdtempSync(join(tmpdir(), 'sluice-'));
  }

  next(): EngineAddress {
    const name = `engine-${++this.#count}.sock`;
    return {
      socketPath: process.platform === 'win32' ? `${this.#folder}-${name}` : join(this.#folder, name),
      secret: randomBytes(32).toString('base64url'),
    };
  }

  close(): void {
    if (process.platform !== 'win32') rmSync(this.#folder, { recursive: true, force: true });
  }
}
