import type { RequestHandler } from 'express';
import { grants } from '../../contract/permissions.ts';
import { planeInfo } from './plane-request.ts';

/**
 * Makes `RED.auth.needsPermission`: middleware that lets a request pass whose principal, as the control plane found it
 * out, holds the permission (of an array: all of them), and answers 401 without a body to any other. Handlers find the
 * user as `req.user`, and what the token may do as `req.authInfo.scope`.
 * @param guarded - `adminAuth` is configured; without it everybody passes
 */
export function permissionGuard(guarded: boolean): (needed: string | readonly string[]) => RequestHandler {
  if (!guarded) return () => (_req, _res, next) => next();
  return (needed) => {
    const all = typeof needed === 'string' ? [needed] : [...needed];
    return (req, res, next) => {
      const principal = planeInfo(req)?.principal;
      if (!principal) {
        res.status(401).set('WWW-Authenticate', 'Bearer').end();
      } else if (!all.every((one) => grants(principal.scope, one))) {
        res.status(401).set('WWW-Authenticate', 'Bearer error="insufficient_scope"').end();
      } else {
        Object.assign(req, { user: principal.user, authInfo: { scope: principal.scope } });
        next();
      }
    };
  };
}
