// Compresses the editor's files that every visitor needs, so that no server has to: `assets/editor/packed/`.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, extname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const target = join(root, 'assets', 'editor', 'packed');
const manifest = createRequire(import.meta.url).resolve('@node-red/editor-client/package.json');
const source = join(dirname(manifest), 'public');
const { version } = JSON.parse(readFileSync(manifest, 'utf8'));

/** Other files are packed by the server when somebody asks for them. */
const wanted =
  /^(red\/(images\/|[\w-]+\.min\.|keymap)|vendor\/(vendor\.js|jquery|font-awesome\/css|mermaid|monaco))/;
const extensions = new Set(['.js', '.css', '.json', '.svg', '.ttf']);
/** As the server's: below it, packing saves no packet. */
const worthCompressing = 1024;

rmSync(target, { recursive: true, force: true });
const files = readdirSync(source, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && extensions.has(extname(entry.name)))
  .map((entry) => relative(source, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
  .filter((name) => wanted.test(name));
await Promise.all(files.map(pack));
// Last: what is there without it was not finished.
writeFileSync(join(target, '.version'), version);

async function pack(name) {
  const content = readFileSync(join(source, name));
  if (content.length < worthCompressing) return;
  mkdirSync(dirname(join(target, name)), { recursive: true });
  const params = { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_SIZE_HINT]: content.length };
  writeFileSync(join(target, `${name}.br`), await promisify(brotliCompress)(content, { params }));
  writeFileSync(join(target, `${name}.gz`), await promisify(gzip)(content, { level: 9 }));
}
