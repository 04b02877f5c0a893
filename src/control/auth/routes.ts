import {
  CodeExchange,
  CodeRequest,
  LoginMethod,
  RevokeRequest,
  TokenError,
  TokenRequest,
  TokenResponse,
} from '../../contract/auth.ts';
import { ErrorBody, noBody } from '../../contract/bodies.ts';
import { AppError } from '../../contract/errors.ts';
import { Type } from '../../contract/schema.ts';
import type { Feature } from '../http/feature.ts';
import { Unauthorized } from '../http/refusals.ts';
import type { Authenticator } from './authenticator.ts';

/** What the three routes need. */
export interface AuthRoutesDeps {
  readonly auth: Pick<Authenticator, 'enabled' | 'logIn' | 'revoke'>;
  /** What `GET /auth/login` answers. */
  readonly loginMethod: LoginMethod;
  /** Users log in elsewhere, and a code of that is exchanged here: then no password is. */
  readonly exchange?: (code: string) => CodeExchange;
  /** Where the editor goes after a log-out (`editorTheme.logout.redirect`). */
  readonly logoutRedirect?: string;
}

/** `/auth/login`, `/auth/token`, `/auth/revoke`. */
export const authRoutes =
  (deps: AuthRoutesDeps): Feature =>
  async (app) => {
    const { auth } = deps;

    app.get(
      '/auth/login',
      {
        schema: { response: { 200: LoginMethod } },
        config: { needs: 'open', summary: 'The authentication method' },
      },
      () => deps.loginMethod,
    );

    const { exchange } = deps;
    if (exchange) {
      const response = { 200: CodeExchange, 400: TokenError };
      const config = {
        needs: 'open',
        errorShape: 'oauth',
        summary: 'Exchanges a code for an access token',
      } as const;
      app.post('/auth/token', { schema: { body: CodeRequest, response }, config }, (request, reply) => {
        reply.header('cache-control', 'no-store').header('pragma', 'no-cache');
        return exchange(request.body.code);
      });
    } else {
      app.post(
        '/auth/token',
        {
          // Asked first, so that a missing field is no matter where there are no tokens at all.
          onRequest: async (_request, reply) => {
            reply.header('cache-control', 'no-store').header('pragma', 'no-cache');
            if (!auth.enabled) throw new AppError('not_found', { detail: 'No authentication is configured' });
          },
          schema: {
            body: TokenRequest,
            response: {
              200: TokenResponse,
              400: TokenError,
              401: noBody('The log-in failed'),
              404: TokenError,
              429: noBody('Too many failures; Retry-After says how many seconds to wait'),
            },
          },
          config: { needs: 'open', errorShape: 'oauth', summary: 'Exchanges a password for an access token' },
        },
        (request) => {
          if (request.body.grant_type !== 'password') throw new AppError('unsupported_grant_type');
          return auth.logIn(request.body, request.ip);
        },
      );
    }

    app.post(
      '/auth/revoke',
      {
        schema: {
          body: RevokeRequest,
          response: {
            200: Type.Object(
              { redirect: Type.String() },
              { description: 'The token is dead. There is no body, unless a place to go to is configured' },
            ),
            400: ErrorBody,
          },
        },
        config: { needs: '', summary: 'Deletes an access token' },
      },
      async (request) => {
        if (auth.enabled) {
          // Anonymous access is no token.
          if (request.principal.anonymous) throw Unauthorized.missing();
          const { token } = request.body;
          if (token === undefined)
            throw new AppError('invalid_request', { detail: 'Field "token" is missing' });
          auth.revoke(token);
        }
        return deps.logoutRedirect === undefined ? undefined : { redirect: deps.logoutRedirect };
      },
    );
  };
