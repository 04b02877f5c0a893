import { describe, expect, it } from 'vitest';
import { Type } from '../../contract/schema.ts';
import { silentLogger } from '../../logging/logger.ts';
import { everybody } from '../auth/principal.ts';
import { createApp } from './app.ts';
import type { Feature } from './feature.ts';
import { HttpServer } from './http-server.ts';

const Board = Type.Object({ id: Type.String(), length: Type.Number() }, { $id: 'Board' });

const surf: Feature = async (app) => {
  app.get(
    '/boards',
    { schema: { response: { 200: Type.Array(Board) } }, config: { needs: 'nodes.read' } },
    () => [],
  );
  app.post(
    '/boards/:owner',
    {
      schema: {
        params: Type.Object({ owner: Type.String({ description: 'Who owns it' }) }),
        querystring: Type.Object({ dry: Type.Optional(Type.String()) }),
        body: Board,
        response: { 204: Type.Null({ description: 'Stored' }) },
      },
      config: { needs: 'nodes.write', summary: 'Stores a board', noBodyFor: [404] },
    },
    async (_request, reply) => reply.code(204).send(null),
  );
  app.get('/beach/*', { config: { needs: 'open' } }, () => 'sand');
};

async function documentOf(root: string) {
  const app = await createApp({
    server: new HttpServer().server,
    settings: { httpAdminRoot: root, apiMaxLength: 1000 },
    auth: { identify: () => everybody },
    log: silentLogger,
    version: '1.2.3',
    features: [surf],
    fallback: { request: (_req, res) => res.end(), upgrade: (_req, socket) => socket.end() },
  });
  const reply = await app.fastify.inject({ url: `${root}openapi.json` });
  await app.close();
  expect(reply.headers['content-type']).toBe('application/json; charset=utf-8');
  return reply.json();
}

describe('/openapi.json', () => {
  it('lists every route under its root, and nothing else', async () => {
    const document = await documentOf('/admin/');
    expect(document).toMatchObject({
      openapi: '3.1.0',
      info: { version: '1.2.3' },
      servers: [{ url: '/admin/' }],
    });
    expect(Object.entries(document.paths).map(([path, item]) => [path, Object.keys(item as object)])).toEqual(
      [
        ['/boards', ['get']],
        ['/boards/{owner}', ['post']],
        ['/beach/{path}', ['get']],
        ['/openapi.json', ['get']],
      ],
    );
  });

  it('names permissions, parameters, bodies and statuses', async () => {
    const { paths, components } = await documentOf('/');
    const { post } = paths['/boards/{owner}'];
    const board = { $ref: '#/components/schemas/Board' };
    const error = {
      'application/json': { schema: expect.objectContaining({ required: ['code', 'message'] }) },
    };
    expect(post).toEqual({
      summary: 'Stores a board',
      security: [{ bearer: ['nodes.write'] }],
      'x-permission': 'nodes.write',
      parameters: [
        { name: 'owner', in: 'path', required: true, schema: { type: 'string', description: 'Who owns it' } },
        { name: 'dry', in: 'query', required: false, schema: { type: 'string' } },
      ],
      requestBody: {
        content: {
          'application/json': { schema: board },
          'application/x-www-form-urlencoded': { schema: board },
        },
      },
      responses: {
        204: { description: 'Stored' },
        400: { description: 'Bad Request', content: error },
        401: { description: 'Not authorized; no body' },
        404: { description: 'Not Found' },
        413: { description: 'Payload Too Large', content: error },
        415: { description: 'Unsupported Media Type', content: error },
        500: { description: 'Internal Server Error', content: error },
      },
    });
    expect(components.schemas.Board).toMatchObject({ type: 'object', required: ['id', 'length'] });
    expect(paths['/boards'].get.responses[200].content['application/json'].schema).toEqual({
      type: 'array',
      items: board,
    });
    expect(paths['/beach/{path}'].get).toMatchObject({
      security: [],
      parameters: [{ name: 'path', in: 'path' }],
    });
  });
});
