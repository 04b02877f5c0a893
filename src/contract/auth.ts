import { type Static, Type } from './schema.ts';

/** Client ids that may ask for a token: those of the specification, and those of existing clients. */
export const clientIds = ['svc-admin', 'svc-editor', 'node-red-admin', 'node-red-editor'] as const;

/** One thing that a log-in form asks for. */
export const LoginPrompt = Type.Object({
  id: Type.Optional(Type.String({ description: 'username or password' })),
  type: Type.String({ description: 'text, password, or button for a log-in elsewhere' }),
  label: Type.String(),
  url: Type.Optional(Type.String({ description: 'Where a button leads' })),
  icon: Type.Optional(Type.String()),
  image: Type.Optional(Type.String()),
});

/** The authentication method; an empty object where there is none. */
export const LoginMethod = Type.Object({
  type: Type.Optional(Type.Union([Type.Literal('credentials'), Type.Literal('strategy')])),
  prompts: Type.Optional(Type.Array(LoginPrompt)),
  autoLogin: Type.Optional(Type.Boolean({ description: 'Go there without asking' })),
  loginRedirect: Type.Optional(Type.String({ description: 'Where to go without asking' })),
  image: Type.Optional(Type.String({ description: 'Picture of the log-in page, where one is configured' })),
});
export type LoginMethod = Static<typeof LoginMethod>;

/** A request for an access token (RFC 6749, 4.3.2). */
export const TokenRequest = Type.Object({
  client_id: Type.String({ description: clientIds.join(', ') }),
  grant_type: Type.String({ description: 'password' }),
  scope: Type.String({
    description: "Permissions, separated by spaces: *, read, …; empty for all of the user's own",
  }),
  username: Type.String(),
  password: Type.String(),
});
export type TokenRequest = Static<typeof TokenRequest>;

/** An access token, as its owner gets to see it once. */
export const TokenResponse = Type.Object({
  access_token: Type.String(),
  expires_in: Type.Optional(Type.Integer({ description: 'Seconds' })),
  token_type: Type.Literal('Bearer'),
});
export type TokenResponse = Static<typeof TokenResponse>;

/** The exchange of a one-time code, after a log-in elsewhere. */
export const CodeRequest = Type.Object({ code: Type.String() });

/** An access token, for a code. */
export const CodeExchange = Type.Object({
  accessToken: Type.String(),
  expires_in: Type.Optional(Type.Integer({ description: 'Seconds' })),
});
export type CodeExchange = Static<typeof CodeExchange>;

/** The error body of the token endpoint (RFC 6749, 5.2). */
export const TokenError = Type.Object({ error: Type.String(), error_description: Type.String() });

/** A request to delete an access token. */
export const RevokeRequest = Type.Object({
  token: Type.Optional(Type.String({ description: 'The token to delete' })),
});
export type RevokeRequest = Static<typeof RevokeRequest>;
