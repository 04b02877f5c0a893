import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ErrorBody, noBody } from '../../contract/bodies.ts';
import { AppError } from '../../contract/errors.ts';
import {
  EnableBody,
  InstallBody,
  LanguageQuery,
  ModuleParams,
  NodeModuleBody,
  NodeSetBody,
  ScopedSetParams,
  SetParams,
  TextsBody,
  UploadBody,
} from '../../contract/nodes.ts';
import { Type } from '../../contract/schema.ts';
import { readInstallRequest } from '../../modules/install-request.ts';
import type { Settings } from '../../settings/settings.ts';
import { compressText } from '../http/compression.ts';
import type { Feature } from '../http/feature.ts';
import { languageOf, sendJson, sendText, wantsJson } from './accept.ts';
import { nodeSetBody } from './bodies.ts';
import type { NodeCatalogue } from './catalogue.ts';
import { safeLanguage } from './language.ts';
import type { Messages } from './messages.ts';
import type { NodesService } from './service.ts';
import { isScope, type Target, targetOf } from './target.ts';
import type { Templates } from './templates.ts';
import { receiveUpload, uploadFolder } from './upload.ts';

/** What the routes need. */
export interface NodesRoutesDeps {
  readonly settings: Pick<Settings, 'userDir' | 'externalModules'>;
  readonly catalogue: NodeCatalogue;
  readonly nodes: NodesService;
  readonly templates: Templates;
  readonly messages: Messages;
}

const unauthorized = { 401: noBody('Not authorized') };
const refusals = { 400: ErrorBody, ...unauthorized };

/** `/nodes`: list, describe, install, enable, disable, remove; their templates and texts. */
export const nodesRoutes =
  (deps: NodesRoutesDeps): Feature =>
  async (app) => {
    const { catalogue, nodes, templates, messages } = deps;
    const list = new SetList(catalogue);
    const compress = compressText();

    app.get(
      '/nodes',
      {
        schema: { response: { 200: Type.Array(NodeSetBody), ...unauthorized } },
        config: { needs: 'nodes.read', summary: 'Every node set; as html unless Accept is application/json' },
        onSend: compress,
      },
      async (request, reply) => {
        if (wantsJson(request)) return sendText(reply, 'application/json', list.json());
        return sendText(reply, 'text/html', await templates.nodes(languageOf(request)));
      },
    );

    app.get(
      '/nodes/messages',
      {
        schema: { querystring: LanguageQuery, response: { 200: TextsBody, ...unauthorized } },
        config: { needs: 'nodes.read', summary: 'The texts of every node set but the core ones' },
        onSend: compress,
      },
      (request) => messages.all('nodes', safeLanguage(request.query.lng)),
    );

    const describe = async (request: FastifyRequest, reply: FastifyReply, target: Target) => {
      if (target.is === 'module') {
        const module = catalogue.module(target.module);
        if (!module) throw new AppError('not_found', { detail: 'Module not found' });
        return sendJson(reply, nodes.describe(module));
      }
      const set = catalogue.set(target.id);
      if (set?.kind !== 'nodes') throw new AppError('not_found', { detail: 'Node not found' });
      if (wantsJson(request)) return sendJson(reply, nodeSetBody(set, catalogue));
      return sendText(reply, 'text/html', (await templates.node(target.id, languageOf(request))) ?? '');
    };
    const described = {
      response: { 200: Type.Union([NodeModuleBody, NodeSetBody]), 404: ErrorBody, ...unauthorized },
    };
    const reading = { needs: 'nodes.read', summary: 'A module, or one of its sets' } as const;
    app.get(
      '/nodes/:module',
      { schema: { params: ModuleParams, ...described }, config: reading },
      (request, reply) => describe(request, reply, { is: 'module', module: request.params.module }),
    );
    app.get(
      '/nodes/:module/:set',
      { schema: { params: SetParams, ...described }, config: reading },
      (request, reply) => describe(request, reply, targetOf(request.params)),
    );
    app.get(
      '/nodes/:scope/:module/:set',
      { schema: { params: ScopedSetParams, ...described }, config: reading },
      (request, reply) => describe(request, reply, targetOf(request.params)),
    );

    const change = async (target: Target, { enabled }: EnableBody, reply: FastifyReply) => {
      if (enabled === undefined) throw new AppError('invalid_request');
      try {
        if (target.is === 'module') {
          return sendJson(reply, await nodes.setModuleEnabled(target.module, enabled));
        }
        return sendJson(reply, await nodes.setEnabled(target.id, enabled));
      } catch (error) {
        // As in the peer, what is not there is a mistake of the request here, and not of its path.
        if (!(error instanceof AppError && error.code === 'not_found')) throw error;
        return sendJson(reply.code(400), { code: error.code, message: error.detail });
      }
    };
    const changed = {
      body: EnableBody,
      response: { 200: Type.Union([NodeModuleBody, NodeSetBody]), ...refusals },
    };
    const writing = {
      needs: 'nodes.write',
      summary: 'Enables or disables a module, or one of its sets',
    } as const;
    app.put(
      '/nodes/:module',
      { schema: { params: ModuleParams, ...changed }, config: writing },
      (request, reply) => change({ is: 'module', module: request.params.module }, request.body, reply),
    );
    app.put(
      '/nodes/:module/:set',
      { schema: { params: SetParams, ...changed }, config: writing },
      (request, reply) => change(targetOf(request.params), request.body, reply),
    );
    app.put(
      '/nodes/:scope/:module/:set',
      { schema: { params: ScopedSetParams, ...changed }, config: writing },
      (request, reply) => change(targetOf(request.params), request.body, reply),
    );

    const removal = { response: { 204: noBody('Removed'), 404: ErrorBody, ...refusals } };
    const removing = { needs: 'nodes.write', summary: 'Removes a module' } as const;
    app.delete(
      '/nodes/:module',
      { schema: { params: ModuleParams, ...removal }, config: removing },
      async (request, reply) => {
        await nodes.remove(request.params.module);
        return reply.code(204).send(null);
      },
    );
    app.delete(
      '/nodes/:module/:set',
      { schema: { params: SetParams, ...removal }, config: removing },
      async (request, reply) => {
        const target = targetOf(request.params);
        if (target.is === 'set') throw new AppError('not_found', { detail: 'Module not found' });
        await nodes.remove(target.module);
        return reply.code(204).send(null);
      },
    );

    const texts = {
      schema: { querystring: LanguageQuery, response: { 200: TextsBody, ...unauthorized } },
      config: { needs: 'nodes.read', summary: 'The texts of a node set' },
    } as const;
    app.get(
      '/nodes/:module/:set/messages',
      { ...texts, schema: { ...texts.schema, params: SetParams } },
      async (request, reply) => {
        const { module, set } = request.params;
        // With a scope these three steps are a module and its set named "messages".
        if (isScope(module))
          return describe(request, reply, targetOf({ scope: module, module: set, set: 'messages' }));
        return messages.of(`${module}/${set}`, safeLanguage(request.query.lng));
      },
    );
    app.get(
      '/nodes/:scope/:module/:set/messages',
      { ...texts, schema: { ...texts.schema, params: ScopedSetParams } },
      (request) => {
        const { scope, module, set } = request.params;
        return messages.of(`${scope}/${module}/${set}`, safeLanguage(request.query.lng));
      },
    );

    if (deps.settings.externalModules.palette.allowInstall) app.register(installRoute(deps));
    else {
      // Not there, but still nobody else's.
      const config = {
        needs: 'nodes.write',
        noBodyFor: [404],
        summary: 'Installing is switched off',
      } as const;
      const response = { 404: noBody('Installing is switched off'), ...unauthorized };
      app.post('/nodes', { schema: { response }, config }, () => {
        throw new AppError('not_found');
      });
    }
  };

/** `POST /nodes`. A plugin of its own: only here a body may be a form with a file. */
const installRoute =
  ({ nodes, settings }: NodesRoutesDeps): Feature =>
  async (app) => {
    const uploads = new WeakMap<FastifyRequest, Readable>();
    app.addContentTypeParser('multipart/form-data', (_request, body, done) => done(null, body));
    app.post(
      '/nodes',
      {
        schema: {
          body: {
            content: {
              'application/json': { schema: InstallBody },
              'application/x-www-form-urlencoded': { schema: InstallBody },
              'multipart/form-data': { schema: UploadBody },
            },
          },
          response: {
            200: NodeModuleBody,
            404: noBody('Unknown in the registry, or no such directory'),
            ...refusals,
          },
        },
        config: {
          needs: 'nodes.write',
          noBodyFor: [404],
          summary: 'Installs a module: from the registry, from a directory, or an uploaded package (.tgz)',
        },
        // An upload's body is a stream, which no schema describes.
        preValidation: async (request) => {
          const body: unknown = request.body;
          if (!(body instanceof Readable)) return;
          uploads.set(request, body);
          request.body = {};
        },
      },
      async (request) => {
        const body = uploads.get(request);
        if (!body) {
          const { module, version, url } = request.body as InstallBody;
          if (module === undefined)
            throw new AppError('invalid_request', { detail: 'Field "module" is missing' });
          return nodes.install(readInstallRequest({ module, version, url }));
        }
        const rules = settings.externalModules.palette;
        if (!rules.allowUpload) {
          body.resume();
          throw new AppError('install_not_allowed', { detail: 'Uploads are not allowed' });
        }
        const limits = { maxBytes: rules.maxUploadSize, below: uploadFolder(settings.userDir) };
        await using upload = await receiveUpload(body, request.headers, limits);
        return await nodes.upload(upload.path);
      },
    );
  };

/** The list of node sets as JSON (bytes), kept until the catalogue changes. */
class SetList {
  readonly #catalogue: NodeCatalogue;
  #generation = -1;
  #json: Buffer = Buffer.alloc(0);

  constructor(catalogue: NodeCatalogue) {
    this.#catalogue = catalogue;
  }

  json(): Buffer {
    if (this.#generation !== this.#catalogue.generation) {
      const sets = this.#catalogue.listed().flatMap((module) => module.nodes);
      this.#json = Buffer.from(JSON.stringify(sets.map((set) => nodeSetBody(set, this.#catalogue))));
      this.#generation = this.#catalogue.generation;
    }
    return this.#json;
  }
}
