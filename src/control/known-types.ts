import type { CredentialFields } from '../link/protocol.ts';
import type { CredentialTypes } from './flows/credential-changes.ts';
import type { NodeCatalogue } from './nodes/catalogue.ts';

/** What the catalogue knows of node types, as deploys ask for it. */
export class KnownTypes implements CredentialTypes {
  readonly #catalogue: NodeCatalogue;
  #generation = -1;
  #registered: ReadonlySet<string> = new Set();

  constructor(catalogue: NodeCatalogue) {
    this.#catalogue = catalogue;
  }

  credentialFields(type: string): CredentialFields | undefined {
    return this.#catalogue.credentialFields(type);
  }

  isRegistered(type: string): boolean {
    if (this.#generation !== this.#catalogue.generation) {
      this.#generation = this.#catalogue.generation;
      const sets = this.#catalogue.modulesToLoad().flatMap((module) => module.nodes);
      const loaded = sets.filter((set) => this.#catalogue.isLoaded(set));
      this.#registered = new Set(loaded.flatMap((set) => this.#catalogue.status(set.id)?.types ?? []));
    }
    return this.#registered.has(type);
  }
}
