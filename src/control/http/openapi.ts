import type { FastifySchema, RouteOptions } from 'fastify';
import { TokenError } from '../../contract/auth.ts';
import { ErrorBody } from '../../contract/bodies.ts';
import { isObject, type JsonObject } from '../../contract/json.ts';
import { http } from './node-http.ts';

/** What the document says of a route. */
export type DescribedRoute = Pick<RouteOptions, 'method' | 'url' | 'schema' | 'config'>;

const anyJson = { 'application/json': {} };
const bodyTypes = ['application/json', 'application/x-www-form-urlencoded'];

/**
 * The OpenAPI document (3.1) of the routes that were registered: every path, permission and status, with the schemas
 * that requests are checked against and answers are written from.
 * @remarks Written when it is first asked for. A permission is named twice: as the scope of the bearer token, and as
 * `x-permission` (absent: open; empty: anybody who is known).
 */
export class ApiDocument {
  readonly #root: string;
  readonly #version: string;
  readonly #routes: DescribedRoute[] = [];
  #text: string | undefined;

  /** @param root where the routes are mounted, with both slashes. */
  constructor(root: string, version: string) {
    this.#root = root;
    this.#version = version;
  }

  add(route: DescribedRoute): void {
    this.#routes.push(route);
  }

  /** The document as JSON. */
  text(): string {
    this.#text ??= JSON.stringify(this.#build());
    return this.#text;
  }

  #build(): JsonObject {
    const schemas: Record<string, unknown> = {};
    const paths: Record<string, Record<string, unknown>> = {};
    for (const route of this.#routes) {
      for (const method of [route.method].flat()) {
        // Answered wherever GET is.
        if (method === 'HEAD') continue;
        const path = `/${route.url.slice(this.#root.length)}`;
        paths[templateOf(path)] ??= {};
        Object.assign(paths[templateOf(path)] ?? {}, {
          [method.toLowerCase()]: operation(route, path, schemas),
        });
      }
    }
    return {
      openapi: '3.1.0',
      info: { title: 'Sluice administration API', version: this.#version, license: { name: 'Apache-2.0' } },
      servers: [{ url: this.#root }],
      paths,
      components: {
        schemas,
        securitySchemes: {
          bearer: { type: 'http', scheme: 'bearer', description: 'An access token of POST /auth/token' },
        },
      },
    };
  }
}

function operation(route: DescribedRoute, path: string, schemas: Record<string, unknown>): JsonObject {
  const { schema = {}, config } = route;
  const needs = config?.needs;
  const body = requestBody(schema.body, schemas);
  return {
    ...(config?.summary === undefined ? {} : { summary: config.summary }),
    ...(needs === 'open'
      ? { security: [] }
      : { security: [{ bearer: needs ? [needs] : [] }], 'x-permission': needs }),
    parameters: parameters(path, schema, schemas),
    ...(body ? { requestBody: body } : {}),
    responses: responses(route, body !== undefined, schemas),
  };
}

function parameters(path: string, schema: FastifySchema, schemas: Record<string, unknown>): JsonObject[] {
  const described = propertiesOf(schema.params);
  const inPath = namesOf(path).map((name) => ({
    name: name === '*' ? 'path' : name,
    in: 'path',
    required: true,
    schema: hoist(described[name] ?? { type: 'string' }, schemas),
  }));
  const query = schema.querystring;
  const required = isObject(query) && Array.isArray(query['required']) ? query['required'] : [];
  const inQuery = Object.entries(propertiesOf(query)).map(([name, property]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema: hoist(property, schemas),
  }));
  const inHeader = Object.entries(propertiesOf(schema.headers)).map(([name, property]) => ({
    name,
    in: 'header',
    schema: hoist(property, schemas),
  }));
  return [...inPath, ...inQuery, ...inHeader];
}

function requestBody(body: unknown, schemas: Record<string, unknown>): JsonObject | undefined {
  if (!isObject(body)) return undefined;
  if (isObject(body['content'])) return { content: hoist(body['content'], schemas) };
  const schema = hoist(body, schemas);
  return { content: Object.fromEntries(bodyTypes.map((type) => [type, { schema }])) };
}

function responses(route: DescribedRoute, hasBody: boolean, schemas: Record<string, unknown>): JsonObject {
  const { schema, config } = route;
  const errorShape = hoist(config?.errorShape === 'oauth' ? TokenError : ErrorBody, schemas);
  const error = (status: number): JsonObject => ({
    description: http.STATUS_CODES[status] ?? 'Error',
    ...(config?.noBodyFor?.includes(status)
      ? {}
      : { content: { 'application/json': { schema: errorShape } } }),
  });
  const declared = isObject(schema?.response) ? schema.response : {};
  const answers = Object.entries(declared).map(([status, answer]) => [
    status,
    response(status, answer, schemas),
  ]);
  const success = answers.some(([status]) => /^[23]/.test(String(status)));
  return {
    ...(success ? {} : { 200: { description: 'OK', content: anyJson } }),
    ...(config?.needs === 'open' ? {} : { 401: { description: 'Not authorized; no body' } }),
    ...(hasBody ? { 400: error(400), 413: error(413), 415: error(415) } : {}),
    ...Object.fromEntries((config?.noBodyFor ?? []).map((status) => [status, error(status)])),
    ...Object.fromEntries(answers),
    500: error(500),
  };
}

function response(status: string, answer: unknown, schemas: Record<string, unknown>): JsonObject {
  const given = isObject(answer) ? answer : {};
  const description =
    typeof given['description'] === 'string' ? given['description'] : (http.STATUS_CODES[status] ?? 'Answer');
  if (given['type'] === 'null') return { description };
  if (isObject(given['content'])) return { description, content: hoist(given['content'], schemas) };
  return { description, content: { 'application/json': { schema: hoist(answer, schemas) } } };
}

/** A plain copy in which schemas with an `$id` are references; they are put among the document's `schemas`. */
function hoist(schema: unknown, schemas: Record<string, unknown>): unknown {
  if (Array.isArray(schema)) return schema.map((item) => hoist(item, schemas));
  if (!isObject(schema)) return schema;
  const { $id, ...rest } = schema;
  const copy = Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, hoist(value, schemas)]));
  if (typeof $id !== 'string') return copy;
  schemas[$id] = copy;
  return { $ref: `#/components/schemas/${$id}` };
}

function propertiesOf(schema: unknown): JsonObject {
  return isObject(schema) && isObject(schema['properties']) ? schema['properties'] : {};
}

/** `/nodes/:module/*` → `/nodes/{module}/{path}` */
function templateOf(path: string): string {
  return path.replace(/:([A-Za-z0-9_]+)/g, '{$1}').replace(/\*$/, '{path}');
}

function namesOf(path: string): string[] {
  const names = [...path.matchAll(/:([A-Za-z0-9_]+)/g)].map((match) => match[1] ?? '');
  return path.endsWith('*') ? [...names, '*'] : names;
}
