import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { create } from 'tar';
import type { NodeModule, NodeSet } from '../../src/modules/node-module.ts';

/** A node module that a test makes up. */
export interface ModuleFixture {
  readonly name: string;
  readonly version?: string;
  /** Body of `module.exports = function (RED) { … }` by set name; each set also registers nothing unless it says so. */
  readonly sets?: { readonly [set: string]: string };
  /** Further files, by path. */
  readonly files?: { readonly [path: string]: string };
  /** Members of package.json that are merged over those made. */
  readonly manifest?: { readonly [member: string]: unknown };
}

/** Writes a node module into a folder, and gives that folder. Each set has an html file that declares the type of its name. */
export function writeModule(folder: string, fixture: ModuleFixture): string {
  const { name, version = '1.0.0', sets = { main: registers('main') }, files = {}, manifest = {} } = fixture;
  const nodes = Object.fromEntries(Object.keys(sets).map((set) => [set, `${set}.js`]));
  const all: Record<string, string> = {
    'package.json': JSON.stringify({ name, version, 'node-red': { nodes }, ...manifest }),
    ...Object.fromEntries(
      Object.entries(sets).flatMap(([set, body]) => [
        [`${set}.js`, `module.exports = function (RED) {\n${body}\n};\n`],
        [`${set}.html`, `<script type="text/html" data-template-name="${set}"></script>\n`],
      ]),
    ),
    ...files,
  };
  for (const [path, text] of Object.entries(all)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

/** The code of a set that registers a node type which passes messages on. */
export function registers(type: string): string {
  return `RED.nodes.registerType(${JSON.stringify(type)}, function (config) {
    RED.nodes.createNode(this, config);
    this.on('input', (msg, send, done) => { send(msg); done(); });
  });`;
}

/** A node module as a package file (`.tgz`), as `npm pack` makes it. */
export async function packModule(fixture: ModuleFixture): Promise<Buffer<ArrayBuffer>> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-pack-'));
  try {
    writeModule(join(folder, 'package'), fixture);
    await create({ gzip: true, cwd: folder, file: join(folder, 'x.tgz') }, ['package']);
    return readFileSync(join(folder, 'x.tgz')) as Buffer<ArrayBuffer>;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A node module as it is described once found on disk: one that the user installed. */
export function nodeModule(name: string, path: string, nodes: readonly NodeSet[]): NodeModule {
  return {
    name,
    version: '1.0.0',
    path,
    local: true,
    user: true,
    dependencies: [],
    hidden: false,
    nodes,
    plugins: [],
  };
}

/** A set of such a module. */
export function nodeSet(module: string, name: string, more: Partial<NodeSet> = {}): NodeSet {
  return {
    id: `${module}/${name}`,
    name,
    module,
    version: '1.0.0',
    kind: 'nodes',
    types: [],
    enabled: true,
    local: true,
    namespace: module,
    ...more,
  };
}

/** The form that uploads a package file. */
export function uploadForm(data: Buffer<ArrayBuffer>, fileName = 'module.tgz', field = 'tarball'): FormData {
  const form = new FormData();
  form.append(field, new Blob([data], { type: 'application/x-compressed-tar' }), fileName);
  return form;
}
