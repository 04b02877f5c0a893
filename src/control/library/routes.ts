import { ErrorBody, noBody } from '../../contract/bodies.ts';
import { AppError } from '../../contract/errors.ts';
import { isObject } from '../../contract/json.ts';
import { Type } from '../../contract/schema.ts';
import type { EngineCalls, EngineSettings } from '../../link/protocol.ts';
import type { Feature } from '../http/feature.ts';
import type { ExampleLibrary } from './example-library.ts';
import { libraries } from './libraries.ts';
import type { LibraryEntry, LibraryFile, LocalLibrary } from './local-library.ts';

/** What the routes need. */
export interface LibraryDeps {
  readonly local: LocalLibrary;
  readonly examples: ExampleLibrary;
  /** What nodes registered: types besides flows, and libraries of plugins. */
  more(): Promise<Pick<EngineSettings, 'libraryTypes' | 'libraries'>>;
  /** Has the libraries of plugins. */
  readonly engine: {
    call<M extends 'library.read' | 'library.write'>(
      method: M,
      asks: EngineCalls[M]['asks'],
    ): Promise<EngineCalls[M]['gives']>;
  };
}

const Params = Type.Object({
  library: Type.String({ description: 'local or examples' }),
  type: Type.String({ description: 'flows, or a type that nodes registered: functions, templates' }),
});
const PathParams = Type.Object({
  ...Params.properties,
  '*': Type.String({ description: 'Path of an entry' }),
});

/** A file's content, or what a folder holds: names of folders, then files with what is known of them. */
const EntryBody = Type.Union([
  Type.String(),
  Type.Array(Type.Union([Type.String(), Type.Object({ fn: Type.String() }, { additionalProperties: true })])),
]);

/** `/library`: flows and texts that are kept for later, and examples of node modules. */
export const libraryRoutes =
  (deps: LibraryDeps): Feature =>
  async (app) => {
    // Texts are sent as they are, listings have any members.
    app.setSerializerCompiler(() => (value) => (typeof value === 'string' ? value : JSON.stringify(value)));

    /** Says whose a library is. */
    const check = async (library: string, type: string): Promise<'ours' | 'of a plugin'> => {
      const isOurs = libraries.some(({ id }) => id === library);
      if (isOurs && type === 'flows') return 'ours';
      const more = await deps.more();
      if (type !== 'flows' && !more.libraryTypes.includes(type))
        throw refused(`Unknown library type: ${type}`);
      if (isOurs) return 'ours';
      if (more.libraries?.some(({ id }) => id === library)) return 'of a plugin';
      throw refused(`Unknown library: ${library}`);
    };
    const read = async (library: string, type: string, path: string): Promise<LibraryEntry> => {
      if ((await check(library, type)) === 'of a plugin') {
        const entry = await deps.engine.call('library.read', { library, type, path });
        return typeof entry === 'string'
          ? { is: 'file', text: entry }
          : { is: 'folder', entries: entry as (string | LibraryFile)[] };
      }
      return library === 'examples' ? deps.examples.read(path) : deps.local.read(type, path);
    };
    const failures = { 400: ErrorBody, 401: noBody('Not authorized'), 403: ErrorBody, 404: ErrorBody };

    for (const url of ['/library/:library/:type', '/library/:library/:type/*']) {
      app.get(
        url,
        {
          schema: {
            params: url.endsWith('*') ? PathParams : Params,
            response: { 200: EntryBody, ...failures },
          },
          config: { needs: 'library.read', summary: 'Reads an entry of a library, or lists a folder' },
        },
        async (request, reply) => {
          const {
            library,
            type,
            '*': path = '',
          } = request.params as { library: string; type: string; '*'?: string };
          // The router takes a slash at the end away; it tells a folder from a file.
          const isFolder = /\/(\?|$)/.test(request.raw.url ?? '') && path !== '' && !path.endsWith('/');
          const entry = await read(library, type, isFolder ? `${path}/` : path);
          if (entry.is === 'folder')
            return reply.type('application/json; charset=utf-8').send([...entry.entries] as never);
          return reply.type(type === 'flows' ? 'application/json' : 'text/plain').send(entry.text as never);
        },
      );
    }

    app.post(
      '/library/:library/:type/*',
      {
        schema: {
          params: PathParams,
          body: Type.Unknown({
            description: 'Flows; or of other types { text } with more members, all texts',
          }),
          response: { 204: noBody('Stored'), ...failures },
        },
        config: { needs: 'library.write', summary: 'Stores an entry' },
      },
      async (request, reply) => {
        const { library, type, '*': path } = request.params;
        if ((await check(library, type)) === 'of a plugin') {
          const { text, ...meta } =
            type === 'flows' ? { text: JSON.stringify(request.body) } : textOf(request.body);
          await deps.engine.call('library.write', { library, type, path, meta, body: text });
          return reply.code(204).send(null);
        }
        if (library !== 'local') throw refused(`Library ${library} is read-only`);
        if (path === '' || path.endsWith('/')) throw refused('An entry needs a name');
        if (type === 'flows') await deps.local.writeFlows(path, request.body);
        else {
          const { text, ...meta } = textOf(request.body);
          await deps.local.writeText(type, path, text, meta);
        }
        return reply.code(204).send(null);
      },
    );
  };

function textOf(body: unknown): { readonly text: string; readonly [meta: string]: string } {
  if (!isObject(body) || typeof body['text'] !== 'string') throw refused('Field "text" must be a string');
  const wrong = Object.keys(body).find((name) => typeof body[name] !== 'string' || !/^\w+$/.test(name));
  if (wrong !== undefined) throw refused(`Field ${JSON.stringify(wrong)} must be a word with a string`);
  return body as { text: string };
}

function refused(detail: string): AppError {
  return new AppError('unexpected_error', { detail });
}
