import { ErrorBody, noBody } from '../../contract/bodies.ts';
import { ContextBody, ContextQuery } from '../../contract/context.ts';
import { AppError } from '../../contract/errors.ts';
import { Type } from '../../contract/schema.ts';
import type { ContextAddress, EngineCalls } from '../../link/protocol.ts';
import type { Feature } from '../http/feature.ts';

/** What is asked of the engine, which owns the context stores. */
export interface ContextEngine {
  call<M extends 'context.read' | 'context.delete'>(
    method: M,
    asks: EngineCalls[M]['asks'],
  ): Promise<EngineCalls[M]['gives']>;
}

const IdParams = Type.Object({ id: Type.String({ description: "A flow's or a node's id" }) });
const KeyParams = Type.Object({
  '*': Type.String({ description: 'A key: a property expression, such as a.b[0]' }),
});
const IdAndKeyParams = Type.Object({ ...IdParams.properties, ...KeyParams.properties });

const reading = {
  querystring: ContextQuery,
  response: { 200: ContextBody, 401: noBody('Not authorized'), 404: ErrorBody, 503: ErrorBody },
};
const deleting = {
  querystring: ContextQuery,
  response: { 204: noBody('Deleted'), 401: noBody('Not authorized'), 404: ErrorBody, 503: ErrorBody },
};

/** `/context`: what flows keep. The engine answers; while it is away, so is its context (503). */
export const contextRoutes =
  ({ engine }: { readonly engine: ContextEngine }): Feature =>
  async (app) => {
    // The answer has any keys: nothing for a serialiser that goes by names.
    app.setSerializerCompiler(() => JSON.stringify);

    const read = async (address: ContextAddress, keysOnly: string | undefined) =>
      (await engine.call('context.read', {
        ...address,
        ...(keysOnly === undefined ? {} : { keysOnly: true }),
      })) as object;
    const remove = async (address: ContextAddress): Promise<void> => {
      // Whole contexts are not deleted at a time.
      if (address.key === undefined) throw new AppError('not_found');
      await engine.call('context.delete', address);
    };

    const readConfig = { needs: 'context.read', summary: 'Reads context' } as const;
    const writeConfig = { needs: 'context.write', summary: 'Deletes a value of the context' } as const;

    app.get('/context/global', { schema: reading, config: readConfig }, ({ query }) =>
      read(addressOf('global', undefined, '', query.store), query.keysOnly),
    );
    app.get(
      '/context/global/*',
      { schema: { ...reading, params: KeyParams }, config: readConfig },
      ({ query, params }) => read(addressOf('global', undefined, params['*'], query.store), query.keysOnly),
    );
    app.delete('/context/global', { schema: deleting, config: writeConfig }, ({ query }) =>
      remove(addressOf('global', undefined, '', query.store)),
    );
    app.delete(
      '/context/global/*',
      { schema: { ...deleting, params: KeyParams }, config: writeConfig },
      async ({ query, params }, reply) => {
        await remove(addressOf('global', undefined, params['*'], query.store));
        return reply.code(204).send(null);
      },
    );

    for (const scope of ['flow', 'node'] as const) {
      app.get(
        `/context/${scope}/:id`,
        { schema: { ...reading, params: IdParams }, config: readConfig },
        ({ query, params }) => read(addressOf(scope, params.id, '', query.store), query.keysOnly),
      );
      app.get(
        `/context/${scope}/:id/*`,
        { schema: { ...reading, params: IdAndKeyParams }, config: readConfig },
        ({ query, params }) => read(addressOf(scope, params.id, params['*'], query.store), query.keysOnly),
      );
      app.delete(
        `/context/${scope}/:id`,
        { schema: { ...deleting, params: IdParams }, config: writeConfig },
        ({ query, params }) => remove(addressOf(scope, params.id, '', query.store)),
      );
      app.delete(
        `/context/${scope}/:id/*`,
        { schema: { ...deleting, params: IdAndKeyParams }, config: writeConfig },
        async ({ query, params }, reply) => {
          await remove(addressOf(scope, params.id, params['*'], query.store));
          return reply.code(204).send(null);
        },
      );
    }
  };

function addressOf(
  scope: ContextAddress['scope'],
  id: string | undefined,
  key: string,
  store: string | undefined,
): ContextAddress {
  return {
    scope,
    ...(id === undefined ? {} : { id }),
    ...(key === '' ? {} : { key }),
    ...(store === undefined || store === '' ? {} : { store }),
  };
}
