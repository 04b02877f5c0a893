import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

/** What files of the peer look like: CommonJS, functions, modules, values of the environment. */
const peerStyle = `
/** Flow File and User Directory Settings **/
module.exports = {
    flowFile: 'flows.json',
    //credentialSecret: "a-secret-key",
    flowFilePretty: true,
    adminAuth: {
        type: "credentials",
        users: function(username) { return Promise.resolve(null); },
        authenticate: function(username, password) { return Promise.resolve(null); },
        default: function() { return Promise.resolve({ anonymous: true, permissions: "read" }); }
    },
    https: function() { return { key: require("fs").readFileSync(__filename), cert: "" } },
    httpsRefreshInterval : 12,
    uiPort: process.env.NO_SUCH_PORT || 7,
    httpNodeAuth: {user:"user",pass:"$2a$08$zZW"},
    httpNodeCors: { origin: "*", methods: "GET,PUT,POST,DELETE" },
    httpAdminMiddleware: function(req,res,next) { next(); },
    httpNodeMiddleware: [ function(req,res,next) { next(); } ],
    httpStatic: [ {path: '/srv/pics/', root: "/img/", options: {maxAge: '1d'}} ],
    diagnostics: { enabled: true, ui: true },
    telemetry: {},
    logging: { console: { level: "info", metrics: false, audit: false }, file: { level: 'debug', handler: function(settings) { return function(msg) {} } } },
    contextStorage: { default: "disk", disk: { module: "localfilesystem", config: { flushInterval: 5 } }, own: { module: { } } },
    exportGlobalContextKeys: false,
    externalModules: { },
    editorTheme: { palette: { }, projects: { enabled: false, workflow: { mode: "manual" } }, codeEditor: { lib: "monaco", options: { } }, markdownEditor: { mermaid: { enabled: true } }, multiplayer: { enabled: false } },
    functionExternalModules: true,
    globalFunctionTimeout: 0,
    functionGlobalContext: { os: require('os'), beside: require('./beside') },
    ui: { path: "ui" },
    webSocketNodeVerifyClient: function(info) { return true; },
    nodeDefaults: { "debug": { "complete": true } }
}`;

/** File name → text, and the port it sets or the end of the error's line. */
const readable: readonly (readonly [string, string])[] = [
  [
    'commonjs.js',
    'const os = require("node:os"); module.exports = { uiPort: os.cpus().length > 0 ? 7 : 8 };',
  ],
  ['module.js', 'import os from "node:os"; export default { uiPort: os.cpus().length > 0 ? 7 : 8 };'],
  ['peer.js', peerStyle],
  ['requires.js', 'module.exports = { uiPort: require("./beside").port };'],
  ['settings.cjs', 'module.exports = { uiPort: 7 };'],
  ['settings.mjs', 'const later = await Promise.resolve(7); export default { uiPort: later };'],
  ['named.mjs', 'export const uiPort = 7;'],
  ['settings.ts', 'const port: number = 7; export default { uiPort: port satisfies number };'],
  [
    'compiled.js',
    'Object.defineProperty(exports, "__esModule", { value: true }); exports.default = { uiPort: 7 };',
  ],
  ['settings.json', '{ "uiPort": 7 }'],
];
const broken: readonly (readonly [string, string, string])[] = [
  ['syntax.js', 'module.exports = {\n  uiPort: 1 2,\n};', ':2:13: Unexpected number'],
  ['syntax.mjs', 'export default {\n  uiPort: ],\n};', ":2:11: Unexpected token ']'"],
  ['syntax.ts', 'const a: number = 1;\nexport default { a: ] };', ':2:21: Expression expected'],
  ['throws.js', 'module.exports = {\n  x: nothing.here,\n};', ':2:6: nothing is not defined'],
  ['throws.mjs', 'export default {\n  x: nothing.here,\n};', ':2:6: nothing is not defined'],
  [
    'missing.js',
    '\nmodule.exports = require("not-there-at-all");',
    ":2:18: Cannot find module 'not-there-at-all'",
  ],
  ['word.js', 'throw "a word";', ': it threw a word'],
  ['broken.json', '{\n  "uiPort": }', ':2:13: unexpected character'],
];

/** Run by a Node.js of its own, since the test runner has its own way of importing files. */
const program = `
  import { loadSettings } from ${JSON.stringify(new URL('./settings.ts', import.meta.url).href)};
  const results = {};
  for (const file of process.argv.slice(1)) {
    const source = { userDir: '/', file, overrides: {} };
    results[file] = await loadSettings(source).then((settings) => settings.uiPort, (error) => error.message);
  }
  process.stdout.write(JSON.stringify(results));
`;

describe('loadSettings', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-settings-'));
  let results: { [file: string]: unknown };
  beforeAll(() => {
    writeFileSync(join(folder, 'beside.js'), 'module.exports = { port: 7 };');
    for (const [name, text] of [...readable, ...broken]) writeFileSync(join(folder, name), text);
    const files = [...readable, ...broken, ['nowhere.js']].map(([name]) => join(folder, name ?? ''));
    const args = ['--input-type=module', '-e', program, ...files];
    results = JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' }));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it.each(readable)('reads %s', (name) => {
    expect(results[join(folder, name)]).toBe(7);
  });

  it.each(broken)('says in one line, with line and column, what is wrong with %s', (name, _text, words) => {
    expect(results[join(folder, name)]).toBe(`settings file ${join(folder, name)}${words}`);
  });

  it('says that a file is missing', () => {
    const file = join(folder, 'nowhere.js');
    expect(results[file]).toBe(`settings file ${file}: there is no such file`);
  });
});
