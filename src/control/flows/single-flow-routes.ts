import { ErrorBody, noBody } from '../../contract/bodies.ts';
import { AppError } from '../../contract/errors.ts';
import { FlowIdBody, SingleFlowBody } from '../../contract/flows.ts';
import { type Static, Type } from '../../contract/schema.ts';
import type { Feature } from '../http/feature.ts';
import { checkedElsewhere } from './routes.ts';
import type { FlowsService } from './service.ts';

const params = Type.Object({ id: Type.String({ description: "A tab's id, or global" }) });
const failures = { 400: ErrorBody, 401: noBody('Not authorized'), 503: ErrorBody };

/** `/flow`: one tab at a time. Every change is a deploy of the changed flows. */
export const singleFlowRoutes =
  ({ flows }: { readonly flows: FlowsService }): Feature =>
  async (app) => {
    app.get(
      '/flow/:id',
      {
        schema: { params, response: { 200: SingleFlowBody, 401: noBody('Not authorized'), 404: ErrorBody } },
        // Every property of every node is shown: nothing for a serialiser that goes by names.
        serializerCompiler: () => JSON.stringify,
        config: { needs: 'flows.read', summary: 'One tab with its nodes' },
      },
      (request) => {
        const flow = flows.flow(request.params.id);
        if (flow === undefined) throw new AppError('not_found');
        return flow as Static<typeof SingleFlowBody>;
      },
    );

    app.post(
      '/flow',
      {
        schema: { body: SingleFlowBody, response: { 200: FlowIdBody, ...failures } },
        validatorCompiler: checkedElsewhere,
        config: { needs: 'flows.write', summary: 'Adds a tab' },
      },
      async (request) => ({ id: await flows.addFlow(request.body) }),
    );

    app.put(
      '/flow/:id',
      {
        schema: { params, body: SingleFlowBody, response: { 200: FlowIdBody, ...failures, 404: ErrorBody } },
        validatorCompiler: checkedElsewhere,
        config: { needs: 'flows.write', summary: 'Replaces a tab' },
      },
      async (request) => {
        await flows.replaceFlow(request.params.id, request.body);
        return { id: request.params.id };
      },
    );

    app.delete(
      '/flow/:id',
      {
        schema: { params, response: { 204: noBody('Removed'), ...failures, 404: ErrorBody } },
        config: { needs: 'flows.write', summary: 'Removes a tab' },
      },
      async (request, reply) => {
        await flows.removeFlow(request.params.id);
        return reply.code(204).send(null);
      },
    );
  };
