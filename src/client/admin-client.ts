import type { LoginMethod, TokenResponse } from '../contract/auth.ts';
import type { DiagnosticsReport } from '../contract/diagnostics.ts';
import type { DeployMode, FlowConfig, FlowState, Revision } from '../contract/flows.ts';
import { isObject } from '../contract/json.ts';
import type { NodeModuleBody, NodeSetBody } from '../contract/nodes.ts';
import type { SettingsBody } from '../contract/settings.ts';
import { ApiError } from './api-error.ts';

/** Where the admin API is, and by which token it is used. */
export interface AdminClientOptions {
  /** Such as `http://localhost:1880`, with `httpAdminRoot` where that is not `/`. */
  readonly url: string;
  /** An access token of an earlier {@link AdminClient.login}. */
  readonly token?: string;
  /** By default the one of the language runtime. */
  readonly fetch?: typeof fetch;
}

/** A user's name and password, and what the token is to be good for (`*` by default). */
export interface Login {
  readonly username: string;
  readonly password: string;
  readonly scope?: string;
}

interface Call {
  readonly json?: unknown;
  readonly form?: Readonly<Record<string, string>>;
  readonly body?: FormData;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * The admin API, typed. Every method rejects with {@link ApiError} where the server refuses, and with the error of
 * `fetch` where it cannot be reached.
 * @example
 * const client = new AdminClient({ url: 'http://localhost:1880' });
 * await client.login({ username: 'admin', password });
 * await client.install('node-red-node-random');
 */
export class AdminClient {
  readonly #url: string;
  readonly #fetch: typeof fetch;
  #token: string | undefined;

  constructor(options: AdminClientOptions) {
    this.#url = options.url.replace(/\/+$/, '');
    this.#token = options.token;
    this.#fetch = options.fetch ?? fetch;
  }

  /** How one logs in; `{}` where nobody needs to. */
  loginMethod(): Promise<LoginMethod> {
    return this.#call('GET', '/auth/login');
  }

  /** Obtains an access token, which later calls then carry. */
  async login({ username, password, scope = '*' }: Login): Promise<TokenResponse> {
    const form = { client_id: 'svc-admin', grant_type: 'password', scope, username, password };
    const answer: TokenResponse = await this.#call('POST', '/auth/token', { form });
    this.#token = answer.access_token;
    return answer;
  }

  /** Deletes the access token in use. */
  async logout(): Promise<void> {
    const token = this.#token;
    if (token === undefined) return;
    await this.#call('POST', '/auth/revoke', { form: { token } });
    this.#token = undefined;
  }

  /** Every node set that is installed. */
  nodeSets(): Promise<NodeSetBody[]> {
    return this.#call('GET', '/nodes');
  }

  /** One module and its sets. */
  module(name: string): Promise<NodeModuleBody> {
    return this.#call('GET', `/nodes/${name}`);
  }

  /** Installs a module of the registry, or of a directory on the server. Resolves when the engine has loaded it. */
  install(module: string, version?: string): Promise<NodeModuleBody> {
    return this.#call('POST', '/nodes', { json: { module, ...(version === undefined ? {} : { version }) } });
  }

  /** Installs a packed module (`.tgz`). */
  upload(name: string, content: Blob): Promise<NodeModuleBody> {
    const body = new FormData();
    body.append('tarball', content, name);
    return this.#call('POST', '/nodes', { body });
  }

  /** Enables or disables a module's sets, or (`module/set`) one of them. */
  setEnabled(name: string, enabled: boolean): Promise<NodeModuleBody | NodeSetBody> {
    return this.#call('PUT', `/nodes/${name}`, { json: { enabled } });
  }

  async remove(module: string): Promise<void> {
    await this.#call('DELETE', `/nodes/${module}`);
  }

  /** The flow file and its revision. */
  flows(): Promise<{ flows: FlowConfig; rev: Revision }> {
    return this.#call('GET', '/flows', { headers: { 'Node-RED-API-Version': 'v2' } });
  }

  /** Deploys a whole configuration. With `rev`, only where nobody else has deployed since (else `version_mismatch`). */
  deploy(flows: FlowConfig, options: { mode?: DeployMode; rev?: Revision } = {}): Promise<{ rev: Revision }> {
    const { mode = 'full', rev } = options;
    return this.#call('POST', '/flows', {
      json: { flows, ...(rev === undefined ? {} : { rev }) },
      headers: { 'Node-RED-API-Version': 'v2', 'Node-RED-Deployment-Type': mode },
    });
  }

  flowState(): Promise<{ state: FlowState }> {
    return this.#call('GET', '/flows/state');
  }

  /** Starts or stops the flows, where the setting `runtimeState` allows it. */
  setFlowState(state: 'start' | 'stop'): Promise<{ state: FlowState }> {
    return this.#call('POST', '/flows/state', { json: { state } });
  }

  settings(): Promise<SettingsBody> {
    return this.#call('GET', '/settings');
  }

  diagnostics(scope: 'basic' | 'full' = 'basic'): Promise<DiagnosticsReport> {
    return this.#call('GET', `/diagnostics?scope=${scope}`);
  }

  async #call<T>(method: string, path: string, { json, form, body, headers }: Call = {}): Promise<T> {
    const response = await this.#fetch(this.#url + path, {
      method,
      headers: {
        Accept: 'application/json',
        ...(json === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...(this.#token === undefined ? {} : { Authorization: `Bearer ${this.#token}` }),
        ...headers,
      },
      ...bodyOf(json, form, body),
    });
    const text = await response.text();
    const answer: unknown = isJson(response) && text !== '' ? JSON.parse(text) : undefined;
    if (!response.ok) throw apiError(response.status, answer);
    return answer as T;
  }
}

function bodyOf(
  json: unknown,
  form: Call['form'],
  body: FormData | undefined,
): { body?: string | URLSearchParams | FormData } {
  if (json !== undefined) return { body: JSON.stringify(json) };
  if (form !== undefined) return { body: new URLSearchParams(form) };
  return body === undefined ? {} : { body };
}

function isJson(response: Response): boolean {
  return /[/+]json\b/.test(response.headers.get('content-type') ?? '');
}

function apiError(status: number, answer: unknown): ApiError {
  const { code, message, error, error_description: description } = isObject(answer) ? answer : {};
  const words = [message, description].find((word) => typeof word === 'string');
  const name = [code, error].find((word) => typeof word === 'string');
  return new ApiError(status, name as string | undefined, words as string | undefined);
}
