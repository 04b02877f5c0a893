import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { Permission } from '../../contract/permissions.ts';
import type { Principal } from '../auth/principal.ts';

/**
 * A feature of the admin API: a Fastify plugin closed over its dependencies. Paths are relative to `httpAdminRoot`.
 * Every route states what it needs; one that does not is refused when it is registered.
 * @example
 * export const surfRoutes = (deps: SurfDeps): Feature => async (app) => {
 *   app.get('/surf', { schema: { response: { 200: Surf } }, config: { needs: 'flows.read' } }, () => deps.surf());
 * };
 */
export type Feature = FastifyPluginAsyncTypebox;

/** What a route asks of the caller: a permission, `''` for anybody who is known, `'open'` for everybody. */
export type Needs = Permission | '' | 'open';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What the caller must be allowed to do. */
    needs?: Needs;
    /** Statuses that this route answers without a body (401 never has one). */
    noBodyFor?: readonly number[];
    /** The shape of error bodies: `{ code, message }`, or that of OAuth 2 (RFC 6749, 5.2). */
    errorShape?: 'api' | 'oauth';
    /** The answer is never twice the same, so that it gets no entity tag. */
    volatile?: true;
    /** Words for the API document that the schema has no place for. */
    summary?: string;
  }
  interface FastifyRequest {
    /** Who is asking; set before any handler runs. */
    principal: Principal;
  }
}
