import type { FastifyReply, FastifyRequest } from 'fastify';
import { ErrorBody, noBody } from '../../contract/bodies.ts';
import { AppError } from '../../contract/errors.ts';
import {
  LanguageQuery,
  ModuleParams,
  NodeModuleBody,
  PluginSetBody,
  ScopedSetParams,
  SetParams,
  TextsBody,
} from '../../contract/nodes.ts';
import { Type } from '../../contract/schema.ts';
import type { Feature } from '../http/feature.ts';
import { sendJson, sendText, wantsJson } from './accept.ts';
import { pluginSetBody } from './bodies.ts';
import type { NodeCatalogue } from './catalogue.ts';
import { safeLanguage } from './language.ts';
import type { Messages } from './messages.ts';
import type { NodesService } from './service.ts';
import { type Target, targetOf } from './target.ts';
import type { Templates } from './templates.ts';

/** What the routes need. */
export interface PluginRoutesDeps {
  readonly catalogue: NodeCatalogue;
  readonly nodes: Pick<NodesService, 'describe'>;
  readonly templates: Templates;
  readonly messages: Messages;
}

const unauthorized = { 401: noBody('Not authorized') };

/** `/plugins`: list and describe; their templates and texts. */
export const pluginRoutes =
  ({ catalogue, nodes, templates, messages }: PluginRoutesDeps): Feature =>
  async (app) => {
    app.get(
      '/plugins',
      {
        schema: { response: { 200: Type.Array(PluginSetBody), ...unauthorized } },
        config: {
          needs: 'plugins.read',
          summary: 'Every plugin set; as html unless Accept is application/json',
        },
      },
      async (request, reply) => {
        if (!wantsJson(request)) return sendText(reply, 'text/html', await templates.plugins());
        return catalogue
          .listed()
          .flatMap(({ plugins }) => plugins.map((set) => pluginSetBody(set, catalogue)));
      },
    );

    app.get(
      '/plugins/messages',
      {
        schema: { querystring: LanguageQuery, response: { 200: TextsBody, ...unauthorized } },
        config: { needs: 'plugins.read', summary: 'The texts of every plugin set' },
      },
      (request) => messages.all('plugins', safeLanguage(request.query.lng)),
    );

    const describe = async (request: FastifyRequest, reply: FastifyReply, target: Target) => {
      if (target.is === 'module') {
        const module = catalogue.module(target.module);
        if (!module) throw new AppError('not_found', { detail: 'Module not found' });
        return sendJson(reply, nodes.describe(module));
      }
      if (!wantsJson(request)) return sendText(reply, 'text/html', await templates.plugin(target.id));
      const set = catalogue.set(target.id);
      if (set?.kind !== 'plugins') throw new AppError('not_found', { detail: 'Plugin not found' });
      return sendJson(reply, pluginSetBody(set, catalogue));
    };
    const response = { 200: Type.Union([NodeModuleBody, PluginSetBody]), 404: ErrorBody, ...unauthorized };
    const config = { needs: 'plugins.read', summary: 'A module, or one of its plugin sets' } as const;
    app.get('/plugins/:module', { schema: { params: ModuleParams, response }, config }, (request, reply) =>
      describe(request, reply, { is: 'module', module: request.params.module }),
    );
    app.get('/plugins/:module/:set', { schema: { params: SetParams, response }, config }, (request, reply) =>
      describe(request, reply, targetOf(request.params)),
    );
    app.get(
      '/plugins/:scope/:module/:set',
      { schema: { params: ScopedSetParams, response }, config },
      (request, reply) => describe(request, reply, targetOf(request.params)),
    );
  };
