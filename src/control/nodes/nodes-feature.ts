import type { Logger } from '../../logging/logger.ts';
import type { Installer } from '../../modules/install.ts';
import type { Settings } from '../../settings/settings.ts';
import type { Feature } from '../http/feature.ts';
import type { Texts } from '../texts.ts';
import { assetRoutes } from './asset-routes.ts';
import type { NodeCatalogue } from './catalogue.ts';
import { Icons } from './icons.ts';
import { Messages } from './messages.ts';
import { installMissing } from './missing-modules.ts';
import { pluginRoutes } from './plugin-routes.ts';
import { nodesRoutes } from './routes.ts';
import { type NodesDeps, NodesService } from './service.ts';
import { Templates } from './templates.ts';

/** What this part of the admin API is made of. */
export interface NodesFeatureDeps extends Omit<NodesDeps, 'settings' | 'installer'> {
  readonly settings: Settings;
  readonly log: Logger;
  readonly catalogue: NodeCatalogue;
  readonly installer: Installer;
}

/** Everything about node modules, put together. */
export class NodesFeature {
  readonly nodes: NodesService;
  /** `/nodes`, `/plugins`. */
  readonly features: readonly Feature[];
  /** `/icons`, `/resources`: what only an editor asks for. */
  readonly assets: Feature;
  readonly #deps: NodesFeatureDeps;
  readonly #messages: Messages;
  readonly #closing = new AbortController();
  #missing: Promise<void> = Promise.resolve();

  constructor(deps: NodesFeatureDeps) {
    this.#deps = deps;
    const { catalogue, settings } = deps;
    const { userDir, nodesDir } = settings;
    this.nodes = new NodesService(deps);
    const templates = new Templates(catalogue);
    this.#messages = new Messages(catalogue);
    const icons = new Icons(catalogue, { core: catalogue.core, userDir, nodesDir });
    const shared = { settings, catalogue, nodes: this.nodes, templates, messages: this.#messages };
    this.features = [nodesRoutes(shared), pluginRoutes(shared)];
    this.assets = assetRoutes({ catalogue, icons });
  }

  /** The texts of a namespace (`node-red`, or a set's id) in a language; empty where there are none. */
  texts(namespace: string, language: string): Promise<Texts> {
    return this.#messages.of(namespace, language);
  }

  /** Names, and by setting brings back, modules that are missing. Call when the catalogue is loaded. */
  start(): void {
    this.#missing = installMissing({ ...this.#deps, nodes: this.nodes }, this.#closing.signal);
  }

  /** Ends what is being installed, taking it back. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#deps.installer.close();
    await this.#missing;
  }
}
