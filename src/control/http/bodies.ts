import type { FastifyInstance } from 'fastify';
import { AppError } from '../../contract/errors.ts';

/**
 * Reads JSON and form bodies, as the admin API has them everywhere.
 * @remarks An empty body, and one of any other type, is an empty object: what a route then misses, its schema names.
 * What can't be parsed is refused with 400, what is longer than `apiMaxLength` with 413.
 */
export function acceptBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  const parseJson = app.getDefaultJsonParser('error', 'ignore');
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, text, done) => {
    const json = text as string;
    if (json.trim() === '') done(null, {});
    else parseJson(request, json, done);
  });
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    (_request, text, done) => {
      done(null, parseForm(text as string));
    },
  );
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, _bytes, done) => done(null, {}));
  app.addHook('preValidation', (request, _reply, done) => {
    if (request.body === undefined || request.body === null) request.body = {};
    done();
  });
}

/**
 * A form body as an object: a name that ends in `[]` or comes more than once is an array.
 * @throws AppError `bad_request` for more than a thousand fields.
 */
export function parseForm(text: string): Record<string, string | string[]> {
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
