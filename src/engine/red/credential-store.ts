import type { Credentials, NodeCredentials } from '../../contract/flows.ts';

/** Makes the credentials of one node last; `null` deletes them. */
export type KeepCredentials = (id: string, credentials: NodeCredentials | null) => Promise<unknown>;

/** Credentials in clear, by node id: those of the last deploy, and what code has changed since. */
export class CredentialStore {
  readonly #keep: KeepCredentials;
  #all: Map<string, NodeCredentials>;

  constructor(initial: Credentials, keep: KeepCredentials) {
    this.#all = new Map(Object.entries(initial));
    this.#keep = keep;
  }

  get(id: string): NodeCredentials | undefined {
    return this.#all.get(id);
  }

  /** Takes the place of all that was held; the control plane has them already. */
  replace(all: Credentials): void {
    this.#all = new Map(Object.entries(all));
  }

  /** `RED.nodes.addCredentials`; resolves once they are kept. */
  async add(id: string, credentials: NodeCredentials): Promise<void> {
    this.#all.set(id, credentials);
    await this.#keep(id, credentials);
  }

  /** `RED.nodes.deleteCredentials`. */
  async delete(id: string): Promise<void> {
    if (this.#all.delete(id)) await this.#keep(id, null);
  }
}
