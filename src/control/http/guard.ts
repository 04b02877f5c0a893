import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify';
import { grants } from '../../contract/permissions.ts';
import { type Principal, stranger } from '../auth/principal.ts';
import { Unauthorized } from './refusals.ts';

/** Finds out who is asking; a promise only where it has to be asked for. Throws or rejects with `Unauthorized`. */
export interface Identifies {
  identify(headers: IncomingHttpHeaders): Principal | Promise<Principal>;
}

/**
 * Stands before every route: sets `request.principal`, and refuses with 401 where the route's `needs` is not granted.
 * @remarks An open route is not asked for a token, and does not look at one.
 */
export function guard(
  auth: Identifies,
): (request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction) => void {
  return (request, _reply, done) => {
    const needs = request.routeOptions.config.needs;
    if (needs === 'open') {
      request.principal = stranger;
      done();
      return;
    }
    const admit = (principal: Principal): void => {
      request.principal = principal;
      if (needs !== undefined && grants(principal.scope, needs)) done();
      else done(Unauthorized.notGranted(String(needs)));
    };
    let principal: Principal | Promise<Principal>;
    try {
      principal = auth.identify(request.headers);
    } catch (error) {
      done(error as Error);
      return;
    }
    if (principal instanceof Promise) principal.then(admit, done);
    else admit(principal);
  };
}
