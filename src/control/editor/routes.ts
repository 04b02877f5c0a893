import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fastifyStatic from '@fastify/static';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../contract/errors.ts';
import { Type } from '../../contract/schema.ts';
import { compressText } from '../http/compression.ts';
import type { Feature } from '../http/feature.ts';
import type { Texts } from '../texts.ts';
import { ClientFiles } from './client-files.ts';
import { EditorLocales, type EditorNamespace, editorNamespaces } from './locales.ts';
import { editorPage } from './page.ts';
import type { EditorTheme } from './theme.ts';

/** What the editor's pages need. */
export interface EditorDeps {
  readonly theme: EditorTheme;
  /** Our version; with the instance's id it names the assets' generation. */
  readonly version: string;
  readonly instanceId: string;
  /** Absolute path of a folder where compressed copies may be kept. */
  readonly cacheFolder: string;
  /** The texts of a node module's namespace, or of `node-red` (the core nodes), in a language. */
  moduleCatalogue(namespace: string, language: string): Promise<Texts>;
}

const require = createRequire(import.meta.url);
/** Where the editor's client package is. */
export const clientFolder = dirname(require.resolve('@node-red/editor-client/package.json'));
const debugView = join(
  dirname(require.resolve('@node-red/nodes/package.json')),
  'core',
  'common',
  'lib',
  'debug',
);
const brand = fileURLToPath(new URL('../../../assets/editor/', import.meta.url));

const revalidate = 'public, max-age=0';

const LocaleQuery = Type.Object({ lng: Type.Optional(Type.String({ description: 'Language tag' })) });
const NameParams = Type.Object({ name: Type.String({ description: 'Name of the file' }) });
const PathParams = Type.Object({ '*': Type.String({ description: 'Path of the file' }) });

/**
 * The editor: its page, its assets, its theme and its texts. All of it is open, as everything else that the page needs
 * asks for a token by itself.
 */
export const editorRoutes =
  (deps: EditorDeps): Feature =>
  async (app) => {
    const assets = join(clientFolder, 'public');
    const locales = new EditorLocales(join(clientFolder, 'locales'));
    const generation = createHash('sha1')
      .update(`${deps.version}-${deps.instanceId}`)
      .digest('hex')
      .slice(0, 12);
    const files = new ClientFiles({
      source: assets,
      shipped: join(brand, 'packed'),
      cache: join(deps.cacheFolder, `editor-${deps.version}`),
      generation,
    });

    await app.register(fastifyStatic, { root: assets, serve: false, cacheControl: false });

    const sendAsset = async (request: FastifyRequest, reply: FastifyReply, name: string) => {
      if (await files.send(request, reply, name)) return reply;
      return reply.header('Cache-Control', files.cacheControl(request.url)).sendFile(name);
    };
    /** A file that is not of the client package: small, and told by its absolute path. */
    const sendFile = (reply: FastifyReply, path: string) => {
      reply.header('Cache-Control', revalidate);
      return reply.sendFile(basename(path), dirname(path));
    };

    app.get('/', { config: { needs: 'open', summary: 'The editor' } }, async (request, reply) => {
      const [path = '', query] = request.raw.url?.split('?', 2) ?? [];
      // The page's URLs are relative: without the slash they would miss.
      if (!path.endsWith('/'))
        return reply.redirect(`${path}/${query === undefined ? '' : `?${query}`}`, 301);
      const html = editorPage(deps.theme.context(), generation);
      const etag = `W/"${createHash('sha1').update(html).digest('base64url')}"`;
      reply.header('ETag', etag).header('Cache-Control', 'no-cache').type('text/html; charset=utf-8');
      return request.headers['if-none-match'] === etag ? reply.code(304).send() : reply.send(html);
    });

    for (const folder of ['red', 'vendor', 'types'] as const) {
      app.get(
        `/${folder}/*`,
        { schema: { params: PathParams }, config: { needs: 'open' } },
        (request, reply) => sendAsset(request, reply, `${folder}/${request.params['*']}`),
      );
    }
    app.get('/favicon.ico', { config: { needs: 'open' } }, (request, reply) =>
      sendAsset(request, reply, 'favicon.ico'),
    );
    app.get('/red/about', { config: { needs: 'open' } }, (_request, reply) =>
      sendFile(reply.type('text/markdown; charset=utf-8'), join(brand, 'about.md')),
    );

    // Where the editor shows the product's sign and nothing can be configured.
    for (const name of ['node-red-256.svg', 'node-red-icon.svg']) {
      app.get(`/red/images/${name}`, { config: { needs: 'open' } }, (_request, reply) =>
        sendFile(reply, join(brand, 'sluice.svg')),
      );
    }

    app.get('/theme', { config: { needs: 'open', summary: 'The look of the editor' } }, () => ({
      ...deps.theme.context(),
      themes: deps.theme.themes(),
    }));
    app.get(
      '/theme/brand/:name',
      { schema: { params: NameParams }, config: { needs: 'open' } },
      (request, reply) => {
        const { name } = request.params;
        if (name !== 'sluice.svg' && name !== 'start.js') throw new AppError('not_found');
        reply.header('Cache-Control', files.cacheControl(request.url));
        return reply.sendFile(name, brand);
      },
    );
    app.get('/theme/*', { schema: { params: PathParams }, config: { needs: 'open' } }, (request, reply) => {
      const path = deps.theme.file(request.params['*']);
      if (path === undefined) throw new AppError('not_found');
      return sendFile(reply, path);
    });

    app.get(
      '/locales/*',
      {
        schema: { params: PathParams, querystring: LocaleQuery },
        config: { needs: 'open', summary: 'The texts of a namespace' },
        onSend: compressText(),
      },
      async (request, reply) => {
        const namespace = request.params['*'].replace(/\.json$/, '');
        const language = safeLanguage(request.query.lng);
        reply.header('Cache-Control', 'no-cache');
        if (isEditorNamespace(namespace)) return locales.read(namespace, language);
        return deps.moduleCatalogue(namespace, language);
      },
    );

    // The debug sidebar's scripts belong to a core node, but the editor must load while the engine is away.
    app.get(
      '/debug/view/:name',
      { schema: { params: NameParams }, config: { needs: 'open' } },
      async (request, reply) => {
        const { name } = request.params;
        if (name === 'view.html') {
          const html = await readFile(join(debugView, 'view.html'), 'utf8');
          const links = (deps.theme.context().page.css ?? []).map(
            (url) => `<link rel="stylesheet" href="../../${url}">`,
          );
          return reply
            .type('text/html; charset=utf-8')
            .send(html.replace('<!-- INSERT-THEME-CSS -->', links.join('')));
        }
        if (name !== 'debug.js' && name !== 'debug-utils.js') throw new AppError('not_found');
        return sendFile(reply, join(debugView, name));
      },
    );
  };

function isEditorNamespace(name: string): name is EditorNamespace {
  return editorNamespaces.some((known) => known === name);
}

function safeLanguage(language: string | undefined): string {
  return language !== undefined && /^[0-9A-Za-z=*-]+$/.test(language) ? language : 'en-US';
}
