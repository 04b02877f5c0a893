import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AppError } from '../../contract/errors.ts';
import { inflate, inUtf8, textOf } from './body-text.ts';

/** Deeper than anything that is meant, and not so deep that what walks through it runs out of stack. */
const mostLevels = 1000;

/**
 * Reads JSON and form bodies, as the admin API has them everywhere; compressed ones too (gzip, deflate).
 * @remarks An empty body, and one of any other type, is an empty object: what a route then misses, its schema names. A
 * body that does not state its type is a form. What can't be parsed is refused with 400, what is longer than
 * `apiMaxLength` (compressed or not) with 413, what is compressed or encoded in a way that is not known with 415.
 */
export function acceptBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  acceptJson(app, (bytes, parse) => parse(bytes.toString()));
  const readForm = async (request: FastifyRequest, bytes: Buffer) => {
    const { 'content-type': type } = request.headers;
    return parseForm(textOf(await unpacked(app, request, bytes), type));
  };
  app.addContentTypeParser('application/x-www-form-urlencoded', asBuffer, readForm);
  app.addContentTypeParser('*', asBuffer, async (request: FastifyRequest, bytes: Buffer) =>
    request.headers['content-type'] === undefined ? readForm(request, bytes) : {},
  );
  app.addHook('preValidation', (request, _reply, done) => {
    if (request.body === undefined || request.body === null) request.body = {};
    done();
  });
}

/** Parses JSON; what can't be taken is an AppError. No text at all is an empty object. */
export type ParseJson = (json: string) => unknown;

/**
 * Has JSON bodies read by somebody who is given the means to parse them, in a plugin and those below it.
 * @param read is given the body decompressed and in UTF-8
 */
export function acceptJson(app: FastifyInstance, read: (body: Buffer, parse: ParseJson) => unknown): void {
  const parseJson = app.getDefaultJsonParser('error', 'ignore');
  if (app.hasContentTypeParser('application/json')) app.removeContentTypeParser('application/json');
  app.addContentTypeParser('application/json', asBuffer, async (request: FastifyRequest, bytes: Buffer) => {
    const body = inUtf8(await unpacked(app, request, bytes), request.headers['content-type']);
    return read(body, (json) => {
      if (json.trim() === '') return {};
      if (depthOf(json) > mostLevels) {
        throw new AppError('bad_request', {
          detail: `The body is nested more than ${mostLevels} levels deep`,
        });
      }
      let value: unknown;
      // It calls back at once.
      void parseJson(request, json, (error, parsed) => {
        if (error) throw refusalOf(json);
        value = parsed;
      });
      return value;
    });
  });
}

const asBuffer = { parseAs: 'buffer' } as const;

function unpacked(app: FastifyInstance, request: FastifyRequest, bytes: Buffer): Promise<Buffer> {
  return inflate(bytes, request.headers['content-encoding'], app.initialConfig.bodyLimit ?? 0);
}

/**
 * A form body as an object: a name that ends in `[]` or comes more than once is an array.
 * @throws AppError `bad_request` for more than a thousand fields.
 */
function parseForm(text: string): Record<string, string | string[]> {
  const form: Record<string, string | string[]> = Object.create(null);
  let fields = 0;
  for (const [name, value] of new URLSearchParams(text)) {
    fields += 1;
    if (fields > 1000) throw new AppError('bad_request', { detail: 'The form has more than 1000 fields' });
    const isList = name.endsWith('[]');
    const key = isList ? name.slice(0, -2) : name;
    const before = form[key];
    if (before !== undefined) form[key] = Array.isArray(before) ? [...before, value] : [before, value];
    else form[key] = isList ? [value] : value;
  }
  return form;
}

/** How deep brackets and braces of a JSON text are nested; of a text that is not JSON, any number. */
export function depthOf(json: string): number {
  let depth = 0;
  let deepest = 0;
  for (let at = 0; at < json.length; at += 1) {
    switch (json.charCodeAt(at)) {
      case 34: // A string: on to its closing quote.
        do {
          at = json.indexOf('"', at + 1);
          if (at === -1) return deepest;
        } while (isEscaped(json, at));
        break;
      case 91: // [
      case 123: // {
        depth += 1;
        if (depth > deepest) deepest = depth;
        break;
      case 93: // ]
      case 125: // }
        depth -= 1;
        break;
      default:
    }
  }
  return deepest;
}

/** Whether an odd number of backslashes stands before it. */
function isEscaped(json: string, at: number): boolean {
  let before = at - 1;
  while (json.charCodeAt(before) === 92) before -= 1;
  return (at - before) % 2 === 0;
}

/** Why a body was refused that is no JSON, or that has a member which would replace an object's prototype. */
function refusalOf(json: string): AppError {
  let detail = 'The body has a member that is not allowed: "__proto__"';
  try {
    JSON.parse(json);
  } catch {
    detail = 'The body is not valid JSON';
  }
  return new AppError('bad_request', { detail });
}
