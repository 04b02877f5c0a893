import { readFile } from 'node:fs/promises';
import { extname, join, posix } from 'node:path';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { fileBelow } from '../../modules/assets.ts';
import { acceptedEncoding, type Encoding } from '../http/compression.ts';
import { hasTag } from '../http/entity-tag.ts';
import { PackedCopies, type PackedCopiesDeps } from './packed-copies.ts';

const types: { readonly [extension: string]: string } = {
  '.js': 'application/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.ttf': 'font/ttf',
  '.woff2': 'font/woff2',
  '.ico': 'image/vnd.microsoft.icon',
};

/** Files up to this many bytes, as they are sent, stay in memory. */
const keptBytes = 32 * 1024;

const oneYear = 'public, max-age=31536000, immutable';
const revalidate = 'public, max-age=0';

/** What the files are sent from. */
export interface ClientFilesDeps extends PackedCopiesDeps {
  /** Names the generation of the files: it stands in URLs (`?v=`) and in entity tags. */
  readonly generation: string;
}

/**
 * The files of the editor's client package, packed as the browser accepts it.
 * @remarks They do not change while the program runs: what is known of a file is kept, and a browser that has it
 * already is told so without a look at the disk.
 */
export class ClientFiles {
  readonly #deps: ClientFilesDeps;
  readonly #copies: PackedCopies;
  readonly #files = new Map<string, Promise<ClientFile | undefined>>();

  constructor(deps: ClientFilesDeps) {
    this.#deps = deps;
    this.#copies = new PackedCopies(deps);
  }

  /** Answers with a file; false where that is left to somebody else: no such file, an unusual kind, a part of one. */
  async send(request: FastifyRequest, reply: FastifyReply, name: string): Promise<boolean> {
    if (request.headers.range !== undefined) return false;
    const file = await this.#file(name, acceptedEncoding(request.headers['accept-encoding']));
    if (file === undefined) return false;
    reply.header('cache-control', this.cacheControl(request.url)).header('vary', 'accept-encoding');
    reply.header('etag', file.etag);
    if (hasTag(request.headers['if-none-match'], file.etag)) {
      reply.code(304).send();
      return true;
    }
    if (file.encoding !== undefined) reply.header('content-encoding', file.encoding);
    const body = file.body ?? (await readFile(file.path));
    reply.type(file.type).send(body);
    return true;
  }

  /** For how long a browser may keep what it gets from a URL. */
  cacheControl(url: string): string {
    const start = url.indexOf('?');
    const generation = start === -1 ? null : new URLSearchParams(url.slice(start)).get('v');
    return generation === this.#deps.generation ? oneYear : revalidate;
  }

  #file(name: string, encoding: Encoding | undefined): Promise<ClientFile | undefined> {
    const key = `${encoding ?? ''}:${name}`;
    const known = this.#files.get(key);
    if (known) return known;
    const found = this.#find(name, encoding).catch(() => undefined);
    this.#files.set(key, found);
    // Only names of files that exist are kept, so that made-up ones cannot fill the map.
    found.then((file) => file === undefined && this.#files.delete(key));
    return found;
  }

  async #find(name: string, encoding: Encoding | undefined): Promise<ClientFile | undefined> {
    const type = types[extname(name)];
    const { source, generation } = this.#deps;
    if (type === undefined || !isPlain(name) || fileBelow(source, name) === undefined) return undefined;
    const copy = encoding && (await this.#copies.of(name, encoding));
    const path = copy ?? join(source, name);
    const content = await readFile(path);
    return {
      path,
      type,
      etag: copy === undefined ? `"${generation}"` : `"${generation}-${encoding}"`,
      encoding: copy === undefined ? undefined : encoding,
      body: content.length <= keptBytes ? content : undefined,
    };
  }
}

/** Whether a path is written in the one way that there is: others of the same file would each be kept. */
function isPlain(path: string): boolean {
  return posix.normalize(path) === path && !path.includes('\\');
}

/** A file as it is sent. */
interface ClientFile {
  readonly path: string;
  readonly type: string;
  readonly etag: string;
  readonly encoding: Encoding | undefined;
  readonly body: Buffer | undefined;
}
