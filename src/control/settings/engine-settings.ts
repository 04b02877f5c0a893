import type { EngineSettings } from '../../link/protocol.ts';
import type { Settings } from '../../settings/settings.ts';

/** What is asked of the engine. */
export interface SettingsEngine {
  call(method: 'settings.read', asks: null, options: { readonly timeoutMs: number }): Promise<EngineSettings>;
}

/** How long an answer of the admin API may wait for an engine that is busy. */
const patienceMs = 250;

/** Library types of the core nodes, which are there whether the engine is or not. */
const coreLibraryTypes = ['functions', 'templates'];

/**
 * What node types add to `GET /settings` and to the library: asked of the engine, and remembered for when it is away or
 * busy.
 */
export class EngineSettingsReader {
  readonly #engine: SettingsEngine;
  #last: EngineSettings;

  constructor(engine: SettingsEngine, settings: Pick<Settings, 'contextStorage'>) {
    this.#engine = engine;
    this.#last = { exported: {}, context: configuredStores(settings), libraryTypes: coreLibraryTypes };
  }

  async read(): Promise<EngineSettings> {
    try {
      this.#last = await this.#engine.call('settings.read', null, { timeoutMs: patienceMs });
    } catch {
      // Starting, busy or gone: what it said last is right, or right soon.
    }
    return this.#last;
  }
}

/** The context stores that the settings file names. */
function configuredStores({ contextStorage }: Pick<Settings, 'contextStorage'>): EngineSettings['context'] {
  const entries = Object.entries(contextStorage || {});
  const alias = entries.find(([name, store]) => name === 'default' && typeof store === 'string')?.[1];
  const stores = entries
    .filter(([, store]) => typeof store !== 'string' || alias !== store)
    .map(([name]) => name);
  const first = stores.includes('default') ? 'default' : stores[0];
  if (first === undefined) return { default: 'memory', stores: ['memory'] };
  return { default: typeof alias === 'string' ? alias : first, stores };
}
