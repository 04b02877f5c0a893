import { Type } from '../../contract/schema.ts';
import type { DescribedRoute } from '../http/openapi.ts';

const text = (description: string) => ({
  description,
  content: { 'text/plain': { schema: { type: 'string' } } },
});
const id = Type.Object({ id: Type.String({ description: 'Id of the node' }) });
const debugAnswers = {
  200: text('Enabled'),
  201: text('Disabled'),
  404: text('No such node or state'),
};

/** Routes of the admin API that core node types bring: the engine answers them, so here they are described only. */
export const coreNodeRoutes: readonly DescribedRoute[] = [
  {
    method: 'POST',
    url: '/inject/:id',
    schema: {
      params: id,
      body: Type.Object({
        __user_inject_props__: Type.Optional(
          Type.Array(Type.Unknown(), {
            description: 'Properties `{ p, v, vt }` in place of those of the node',
          }),
        ),
      }),
      response: { 200: text('Injected'), 404: text('No such node') },
    },
    config: { needs: 'inject.write', summary: 'Lets a node send its message' },
  },
  {
    method: 'POST',
    url: '/debug/:id/:state',
    schema: { params: id, response: debugAnswers },
    config: { needs: 'debug.write', summary: 'Switches a debug node: `enable` or `disable`' },
  },
  {
    method: 'POST',
    url: '/debug/:state',
    schema: {
      body: Type.Object({ nodes: Type.Array(Type.String(), { description: 'Ids of debug nodes' }) }),
      response: { ...debugAnswers, 400: text('No list of nodes') },
    },
    config: { needs: 'debug.write', summary: 'Switches several debug nodes' },
  },
  {
    method: 'GET',
    url: '/udp-ports/:id',
    schema: { params: id, response: { 200: Type.Array(Type.String()) } },
    config: { needs: 'udp-ports.read', summary: 'UDP ports that nodes use' },
  },
];
