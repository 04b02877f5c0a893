// Bundles `src` into a few files, so that a start reads ten instead of three hundred. `node scripts/bundle.js <folder>`.
// Nothing is minified and packages stay outside: a stack trace still names the functions, and with
// `NODE_OPTIONS=--enable-source-maps` the lines of the sources.
import { existsSync } from 'node:fs';
import { dirname, join, posix, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const src = join(root, 'src');

/** What is started as a process or a thread, what the package exports, and what `npm run docs` reads. */
const entries = [
  'cli/main',
  'client/index',
  'engine/main',
  'engine/node/api',
  'engine/process/watchdog-thread',
  'modules/npm-runner',
  'settings/reference',
  'testing/index',
].filter((name) => existsSync(join(src, `${name}.ts`)));

/**
 * Keeps `import.meta.url` what it is in the source, wherever the code ends up: files are found relative to it.
 * @returns {import('rolldown').Plugin}
 */
function keepModuleUrls() {
  return {
    name: 'keep-module-urls',
    transform(code, id) {
      if (!code.includes('import.meta.url')) return null;
      const own = relative(src, id).replaceAll(sep, '/').replace(/\.ts$/, '.js');
      return { code: code.replaceAll('import.meta.url', `__urlOf(${JSON.stringify(own)})`), map: null };
    },
    renderChunk(code, chunk) {
      if (!code.includes('__urlOf(')) return null;
      const urlOf = (own) =>
        own === chunk.fileName
          ? 'import.meta.url'
          : `new URL(${JSON.stringify(posix.relative(posix.dirname(chunk.fileName), own))}, import.meta.url).href`;
      return { code: code.replace(/__urlOf\("([^"]+)"\)/g, (_, own) => urlOf(own)), map: null };
    },
  };
}

const bundle = await rolldown({
  cwd: root,
  input: Object.fromEntries(entries.map((name) => [name, join(src, `${name}.ts`)])),
  external: /^[^./]/,
  platform: 'node',
  plugins: [keepModuleUrls()],
});
await bundle.write({
  dir: process.argv[2],
  format: 'esm',
  sourcemap: true,
  entryFileNames: '[name].js',
  chunkFileNames: 'chunks/[name]-[hash].js',
});
await bundle.close();
