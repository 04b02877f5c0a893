import { basename, dirname } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyReply } from 'fastify';
import { noBody } from '../../contract/bodies.ts';
import { AppError } from '../../contract/errors.ts';
import { IconsBody } from '../../contract/nodes.ts';
import { Type } from '../../contract/schema.ts';
import { fileBelow, resourcesFolder } from '../../modules/assets.ts';
import type { Feature } from '../http/feature.ts';
import type { NodeCatalogue } from './catalogue.ts';
import type { Icons } from './icons.ts';
import { isScope } from './target.ts';

/** What the routes need. */
export interface AssetRoutesDeps {
  readonly catalogue: NodeCatalogue;
  readonly icons: Icons;
}

const IconParams = Type.Object({ module: Type.String(), icon: Type.String() });
const ScopedIconParams = Type.Object({ scope: Type.String(), module: Type.String(), icon: Type.String() });
const PathParams = Type.Object({ '*': Type.String({ description: 'Module, and path of the file in it' }) });

/** Files that modules bring for the editor: icons and resources. The list of icons needs a permission, files do not. */
export const assetRoutes =
  ({ catalogue, icons }: AssetRoutesDeps): Feature =>
  async (app) => {
    // Only for `sendFile`, with a folder of its own each time.
    await app.register(fastifyStatic, { root: catalogue.core.path, serve: false });

    app.get(
      '/icons',
      {
        schema: { response: { 200: IconsBody, 401: noBody('Not authorized') } },
        config: { needs: 'nodes.read', summary: 'The icons that there are, by module' },
      },
      () => icons.list() as Record<string, string[]>,
    );
    const icon = {
      needs: 'open',
      summary: 'An icon; the default one where there is none of this name',
    } as const;
    app.get('/icons/:module/:icon', { schema: { params: IconParams }, config: icon }, (request, reply) =>
      sendFile(reply, icons.file(request.params.module, request.params.icon)),
    );
    app.get(
      '/icons/:scope/:module/:icon',
      { schema: { params: ScopedIconParams }, config: icon },
      (request, reply) => {
        const { scope, module, icon } = request.params;
        return sendFile(reply, icons.file(`${scope}/${module}`, icon));
      },
    );

    app.get(
      '/resources/*',
      {
        schema: { params: PathParams },
        config: { needs: 'open', noBodyFor: [404], summary: "A file of a module's resources folder" },
      },
      (request, reply) => {
        const [first = '', ...rest] = request.params['*'].split('/');
        const name = isScope(first) ? `${first}/${rest.shift() ?? ''}` : first;
        const module = catalogue.module(name);
        const folder = module && resourcesFolder(module);
        const file = folder === undefined ? undefined : fileBelow(folder, rest.join('/'));
        if (file === undefined) throw new AppError('not_found');
        return sendFile(reply, file);
      },
    );
  };

function sendFile(reply: FastifyReply, path: string): FastifyReply {
  return reply.header('x-content-type-options', 'nosniff').sendFile(basename(path), dirname(path));
}
