import type { IncomingMessage, ServerResponse } from 'node:http';

/** A request as the routes see it. */
export interface HttpRequest extends IncomingMessage {
  readonly params: { readonly [name: string]: string };
  readonly query: { readonly [name: string]: unknown };
  // biome-ignore lint/suspicious/noExplicitAny: whatever the client sent; check it
  body: any;
  readonly path: string;
  readonly originalUrl: string;
  /** Who asks, on admin routes with authentication. */
  readonly user?: unknown;
  get(header: string): string | undefined;
}

/** An answer as the routes see it. */
export interface HttpResponse extends ServerResponse<HttpRequest> {
  status(code: number): this;
  sendStatus(code: number): this;
  set(header: string, value: string | readonly string[]): this;
  type(contentType: string): this;
  json(body: unknown): this;
  send(body?: unknown): this;
  sendFile(path: string, options?: object | ((error?: Error) => void), done?: (error?: Error) => void): void;
  redirect(url: string): void;
  redirect(status: number, url: string): void;
}

/** Handles a request, or passes it on. */
export type HttpHandler = (
  request: HttpRequest,
  response: HttpResponse,
  next: (error?: unknown) => void,
) => unknown;

/** A handler written against other types, such as those of a middleware package. */
export type ForeignHandler = (request: never, response: never, next: never) => unknown;

type Path = string | RegExp | readonly (string | RegExp)[];

interface Route<Self> {
  (path: Path, ...handlers: readonly HttpHandler[]): Self;
  (path: Path, ...handlers: readonly (ForeignHandler | readonly ForeignHandler[])[]): Self;
}

/** An express 4 application, as far as node modules use it. With `@types/express` at hand, cast it to its type. */
export interface HttpApp {
  (request: IncomingMessage, response: ServerResponse, next?: (error?: unknown) => void): void;
  readonly get: Route<this>;
  readonly post: Route<this>;
  readonly put: Route<this>;
  readonly patch: Route<this>;
  readonly delete: Route<this>;
  readonly options: Route<this>;
  readonly all: Route<this>;
  use(...handlers: readonly HttpHandler[]): this;
  use(path: Path, ...handlers: readonly HttpHandler[]): this;
  use(...handlers: readonly (Path | ForeignHandler | readonly ForeignHandler[])[]): this;
  /** The path at which it is mounted. */
  path(): string;
}
