import { execFile } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startServer } from '../support/server.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const examples = readdirSync(join(root, 'examples'));
let folder: string;

/** What an author's `npm install` brings, linked: this package, the compiler, and types of Node.js. */
function linkDependencies(example: string): void {
  const modules = join(folder, example, 'node_modules');
  mkdirSync(join(modules, '@types'), { recursive: true });
  symlinkSync(root, join(modules, 'sluice'), 'dir');
  for (const name of ['typescript', '@types/node']) {
    symlinkSync(join(root, 'node_modules', name), join(modules, name), 'dir');
  }
}

/** A command of an example, with our Node.js. */
async function run(example: string, command: string, ...args: readonly string[]): Promise<string> {
  const bin = join(root, 'node_modules', '.bin');
  const path = [dirname(process.execPath), bin, process.env['PATH'] ?? ''].join(delimiter);
  const { stdout } = await promisify(execFile)(command, args, {
    cwd: join(folder, example),
    env: { ...process.env, PATH: path, NODE_TEST_CONTEXT: undefined },
  });
  return stdout;
}

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-examples-'));
  cpSync(join(root, 'examples'), folder, {
    recursive: true,
    filter: (path) => !path.includes('node_modules'),
  });
  for (const example of examples) linkDependencies(example);
});
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));

it.each(examples)("the example %s passes its own tests, run by its author's command", async (example) => {
  const printed = await run(example, 'npm', 'test');
  expect(printed).toMatch(/^# fail 0$|fail 0$/m);
  expect(printed).toMatch(/pass [1-9]/);
});

it('a mistake in a TypeScript module does not compile', async () => {
  const mistake = join(folder, 'sign', 'mistake.ts');
  writeFileSync(
    mistake,
    "import type { NodeAPI } from 'sluice/node';\nexport default (RED: NodeAPI) => RED.nods;\n",
  );
  const compiled = run('sign', 'tsc', '--noEmit').finally(() => rmSync(mistake));
  await expect(compiled).rejects.toMatchObject({
    stdout: expect.stringContaining("Property 'nods' does not exist"),
  });
});

it('docs/writing-nodes.md shows the examples as they are', () => {
  const text = readFileSync(join(root, 'docs', 'writing-nodes.md'), 'utf8');
  const excerpts = [...text.matchAll(/^```\w+ (examples\/\S+)\n(.*?)^```$/gms)];
  expect(excerpts.length).toBeGreaterThan(5);
  for (const [, file = '', code = ''] of excerpts) {
    expect(readFileSync(join(root, file), 'utf8')).toContain(code);
  }
});

describe('on a server', () => {
  it('the examples are installed from their folders and work', async () => {
    await run('sign', 'npm', 'run', 'build');
    await using server = await startServer({ flows: [] });
    for (const example of examples) {
      const module = join(folder, `installed-${example}`);
      cpSync(join(folder, example), module, {
        recursive: true,
        filter: (path) => !path.includes('node_modules'),
      });
      const reply = await server.post('/nodes', { json: { module } });
      expect(reply.body.nodes, reply.text).toMatchObject([{ name: example, loaded: true }]);
    }
    const texts = await server.get('/nodes/node-red-contrib-running-total/running-total/messages?lng=de');
    expect(texts.text).toContain('laufende Summe');

    await server.deploy([
      { id: 't', type: 'tab', label: 't' },
      { id: 'in', type: 'http in', z: 't', url: '/try', method: 'get', wires: [['n']] },
      {
        id: 'n',
        type: 'function',
        z: 't',
        func: 'msg.payload = Number(msg.req.query.v); return msg;',
        wires: [['sum']],
      },
      { id: 'sum', type: 'running-total', z: 't', property: 'payload', wires: [['sig']] },
      {
        id: 'sig',
        type: 'sign',
        z: 't',
        algorithm: 'sha256',
        credentials: { key: 'secret' },
        wires: [['f']],
      },
      {
        id: 'f',
        type: 'function',
        z: 't',
        func: 'return { ...msg, payload: [msg.payload, msg.signature.length] };',
        wires: [['out']],
      },
      { id: 'out', type: 'http response', z: 't', wires: [] },
    ]);
    expect((await server.get('/try?v=2')).body).toEqual([2, 64]);
    expect((await server.get('/try?v=3')).body).toEqual([5, 64]);
    expect((await server.post('/running-total/sum/reset')).status).toBe(204);
    expect((await server.get('/try?v=1')).body).toEqual([1, 64]);
  });
});
