import { spawn } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { runCommand, sluice } from '../support/command.ts';
import { childrenOf, isRunning } from '../support/processes.ts';
import { freePort, startServer, waitFor } from '../support/server.ts';

const folder = mkdtempSync(join(tmpdir(), 'sluice-cli-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let count = 0;
/** The path of a folder that is not there yet. */
const newPath = () => join(folder, String(count++));
const newDir = (settings?: string) => {
  const path = newPath();
  mkdirSync(path);
  if (settings !== undefined) writeFileSync(join(path, 'settings.js'), settings);
  return path;
};

describe('sluice', () => {
  it('--version names its version and that of Node.js', async () => {
    const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
    expect(await sluice(['--version'])).toMatchObject({
      code: 0,
      stdout: `Sluice v${version}\nNode.js ${process.version}\n`,
      stderr: '',
    });
  });

  it('--help lists every flag and command', async () => {
    const { code, stdout } = await sluice(['--help']);
    expect(code).toBe(0);
    for (const word of [
      '-u, --userDir',
      '-s, --settings',
      '-p, --port',
      '-D, --define',
      '--safe',
      '-v, --verbose',
    ]) {
      expect(stdout).toContain(word);
    }
    for (const command of ['sluice init', 'sluice hash-pw', '[flows.json]'])
      expect(stdout).toContain(command);
  });

  it('an unknown flag is an error with a hint', async () => {
    expect(await sluice(['--prot', '80'])).toMatchObject({
      code: 1,
      stdout: '',
      stderr: 'sluice: unknown flag --prot; did you mean --port?\n',
    });
  });

  it('a port in use is one line and exit code 1, and nothing stays behind', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => taken.once('listening', resolve));
    const address = taken.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    const userDir = newDir('module.exports = {};');
    try {
      const { code, stderr } = await sluice(['-u', userDir, '-p', String(port)]);
      expect(stderr).toBe(
        `sluice: port ${port} is in use on 127.0.0.1; is Sluice running already? -p chooses another port\n`,
      );
      expect(code).toBe(1);
    } finally {
      taken.close();
    }
  });

  it('a user directory that is a file is one line and exit code 1', async () => {
    const path = newPath();
    writeFileSync(path, '');
    expect(await sluice(['-u', path])).toMatchObject({
      code: 1,
      stderr: `sluice: the user directory ${path} cannot be used: it is not a directory\n`,
    });
  });

  it.skipIf(process.getuid?.() !== 0)(
    'a user directory of somebody else is one line (needs root)',
    async () => {
      chmodSync(folder, 0o755);
      const path = newDir();
      chmodSync(path, 0o700);
      expect(await sluice(['-u', path], { uid: 65_534 })).toMatchObject({
        code: 1,
        stderr: `sluice: the user directory ${path} cannot be used: permission denied\n`,
      });
      chmodSync(path, 0o755);
      expect(await sluice(['-u', path], { uid: 65_534 })).toMatchObject({
        code: 1,
        stderr: `sluice: the user directory ${path} cannot be used: permission denied\n`,
      });
    },
  );

  it('a broken settings file is one line with line and column', async () => {
    const userDir = newDir('module.exports = {\n  uiPort: 1 2,\n};\n');
    expect(await sluice(['-u', userDir])).toMatchObject({
      code: 1,
      stdout: '',
      stderr: `sluice: settings file ${userDir}/settings.js:2:13: Unexpected number\n`,
    });
  });

  it('a settings file that is not there is one line', async () => {
    const file = newPath();
    expect(await sluice(['-s', file])).toMatchObject({
      code: 1,
      stderr: `sluice: settings file ${file}: there is no such file\n`,
    });
  });

  it('a wrong setting names the setting, what was found, what was expected, and the file', async () => {
    const userDir = newDir('module.exports = { uiPort: "x" };');
    expect(await sluice(['-u', userDir])).toMatchObject({
      code: 1,
      stderr: `sluice: setting uiPort: found "x", expected a whole number from 0 to 65535 (in ${userDir}/settings.js)\n`,
    });
  });
});

describe('the first start', () => {
  it('makes the user directory and a settings file with comments, and says where it listens', async () => {
    const userDir = newPath();
    await using server = await startServer({ userDir, until: 'live' });
    const text = readFileSync(join(userDir, 'settings.js'), 'utf8');
    expect(text).toContain('diagnostics: { enabled: true');
    expect(text).toContain('// adminAuth: {');
    expect(statSync(join(userDir, 'settings.js')).mode & 0o777).toBe(0o600);
    expect(server.log()).toContain(`http://127.0.0.1:${server.port}/`);
    expect((await server.get('/diagnostics')).status).toBe(200);
  });

  it('overrides settings by flags: -D by dotted name, --safe, -v', async () => {
    const userDir = newDir('module.exports = { httpAdminRoot: "/a", diagnostics: { enabled: false } };');
    const args = ['-D', 'httpAdminRoot=/b', '-D', 'diagnostics.enabled=true', '--safe', '-v'];
    await using server = await startServer({ userDir, args, until: 'live', adminRoot: '/b' });
    expect((await server.get('/b/diagnostics')).body.runtime.settings.httpAdminRoot).toBe('/b/');
    expect((await server.get('/b/diagnostics')).body.runtime.flows.state).toBe('safe');
  });

  it('takes a settings file from elsewhere, and the user directory that it names', async () => {
    const [userDir, elsewhere] = [newPath(), newDir()];
    const file = join(elsewhere, 'mine.mjs');
    writeFileSync(
      file,
      `export default { userDir: ${JSON.stringify(userDir)}, diagnostics: { enabled: true } };`,
    );
    const port = await freePort();
    let told = false;
    const ended = await sluice(['-s', file, '-p', String(port)], {
      env: { HOME: elsewhere },
      onOutput: (printed, child) => {
        if (printed.includes('now running') && !told) told = child.kill('SIGTERM');
      },
    });
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(existsSync(userDir)).toBe(true);
    expect(existsSync(join(elsewhere, '.sluice'))).toBe(false);
  });
});

describe('the end', () => {
  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    '%s stops both planes and leaves no process',
    async (signal) => {
      await using server = await startServer({ userDir: newDir('module.exports = {};') });
      const engine = await server.enginePid();
      await server.kill(signal);
      expect(await server.exited).toEqual({ code: 0, signal: null });
      expect(isRunning(engine)).toBe(false);
      await expect(server.get('/health/live')).rejects.toThrow();
    },
  );

  it('a signal while it starts stops it too', async () => {
    const port = await freePort();
    let children: readonly { pid: number }[] | undefined;
    const ended = await sluice(['-u', newDir('module.exports = {};'), '-p', String(port)], {
      onOutput: (_, child) => {
        if (children !== undefined) return;
        children = childrenOf(child.pid ?? 0);
        child.kill('SIGTERM');
      },
    });
    expect(ended).toMatchObject({ code: 0, signal: null });
    expect(children?.filter(({ pid }) => isRunning(pid))).toEqual([]);
  });

  it('a second Ctrl-C does not wait for nodes that do not close', async () => {
    const userDir = newDir('module.exports = {};');
    mkdirSync(join(userDir, 'nodes'));
    writeFileSync(
      join(userDir, 'nodes', 'sticky.js'),
      `module.exports = (RED) => RED.nodes.registerType('sticky', function (config) {
        RED.nodes.createNode(this, config);
        this.on('close', () => { for (;;) {} });
      });`,
    );
    writeFileSync(
      join(userDir, 'nodes', 'sticky.html'),
      '<script type="text/html" data-template-name="sticky"></script>',
    );
    const flows = [
      { id: 'tab', type: 'tab', label: 't' },
      { id: 'n', type: 'sticky', z: 'tab', x: 1, y: 1, wires: [] },
    ];
    await using server = await startServer({ userDir, flows });
    const engine = await server.enginePid();
    process.kill(server.pid, 'SIGINT');
    await server.waitFor(() => server.log().includes('Stopping'));
    // Signals that come in one burst count as one; the loop asks again as an impatient person does.
    await server.waitFor(() => {
      if (isRunning(server.pid)) process.kill(server.pid, 'SIGINT');
      return !isRunning(server.pid);
    });
    expect((await server.exited).code).toBe(130);
    await server.waitFor(() => !isRunning(engine), 'the engine to end');
  });
});

describe('npm start', () => {
  const root = fileURLToPath(new URL('../../', import.meta.url));

  it.each([
    ['Ctrl-C in its terminal', 'SIGINT', true],
    ['SIGTERM to npm alone', 'SIGTERM', false],
  ] as const)('%s stops everything', async (_, signal, wholeGroup) => {
    const args = ['start', '--', '-u', newDir('module.exports = {};'), '-p', String(await freePort())];
    // A group of its own, as a terminal would give it.
    const npm = spawn('npm', args, { cwd: root, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    const { pid } = npm;
    if (pid === undefined) throw new Error('npm did not start');
    let printed = '';
    for (const stream of [npm.stdout, npm.stderr]) {
      stream.on('data', (text) => {
        printed += text;
      });
    }
    try {
      await waitFor(() => printed.includes('Started flows'), 'the server');
      const all = descendantsOf(pid);
      expect(all.length).toBeGreaterThanOrEqual(3);
      process.kill(wholeGroup ? -pid : pid, signal);
      await waitFor(() => !all.some((one) => isRunning(one.pid)), `the end of ${JSON.stringify(all)}`);
      expect(printed).toContain('Stopped flows');
      expect(printed).not.toMatch(/npm error|\[error\]/);
    } finally {
      for (const one of [npm, ...descendantsOf(pid)])
        if (one.pid && isRunning(one.pid)) process.kill(one.pid, 'SIGKILL');
    }
  });
});

describe('sluice hash-pw', () => {
  it('prints an argon2id hash, and a bcrypt hash where asked to', async () => {
    const argon = await sluice(['hash-pw'], { input: 'correct horse\n' });
    expect(argon).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$\S+\n$/),
    });
    const bcrypt = await sluice(['hash-pw', '--bcrypt'], { input: 'correct horse\n' });
    expect(bcrypt).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\$2[aby]\$12\$\S{53}\n$/) });
    const { verify } = await import('@node-rs/argon2');
    expect(await verify(argon.stdout.trim(), 'correct horse')).toBe(true);
    expect(await (await import('@node-rs/bcrypt')).verify('correct horse', bcrypt.stdout.trim())).toBe(true);
  });

  it('refuses an empty password', async () => {
    expect(await sluice(['hash-pw'], { input: '\n' })).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('sluice: the password must not be empty'),
    });
    expect((await sluice(['hash-pw'], { input: '' })).code).toBe(1);
  });

  it.skipIf(!hasPseudoTerminal())(
    'does not echo what is typed on a terminal (needs the program script)',
    async () => {
      const ended = await typed('hash-pw', [['Password: ', 'correct horse\r']]);
      expect(ended.stdout).toMatch(/\$argon2id\$/);
      expect(ended.stdout).not.toContain('horse');
    },
  );
});

describe('sluice init', () => {
  it('asks, and writes a settings file that starts and lets the user in', async () => {
    const userDir = newPath();
    const input =
      'fred\nshort\ncorrect horse\ncorrect cow\ncorrect horse\ncorrect horse\nport\n1999\nmy secret\n';
    const { code, stdout } = await sluice(['init', '-u', userDir], { input });
    expect(code).toBe(0);
    expect(stdout).toContain('At least 8 characters');
    expect(stdout).toContain('The two differ');
    expect(stdout).not.toMatch(/horse|my secret/);
    const text = readFileSync(join(userDir, 'settings.js'), 'utf8');
    expect(text).toContain("credentialSecret: 'my secret'");
    expect(text).toContain('uiPort: process.env.PORT || 1999');
    expect(text).not.toContain('correct horse');
    expect(statSync(join(userDir, 'settings.js')).mode & 0o777).toBe(0o600);
    await using server = await startServer({ userDir, until: 'live' });
    expect((await server.get('/diagnostics')).status).toBe(401);
    const token = await server.login('fred', 'correct horse');
    expect((await server.get('/diagnostics', { token })).status).toBe(200);
  });

  it('never replaces a file without asking, and keeps the old one', async () => {
    const userDir = newDir('module.exports = { mine: 1 };');
    const refused = await sluice(['init', '-u', userDir], {
      input: '\nfred\ncorrect horse\ncorrect horse\n\n\n',
    });
    expect(refused).toMatchObject({ code: 1, stderr: 'sluice: nothing was written\n' });
    expect(readFileSync(join(userDir, 'settings.js'), 'utf8')).toContain('mine');
    const input = 'yes\nfred\ncorrect horse\ncorrect horse\n\n\n';
    expect((await sluice(['init', '-u', userDir], { input })).code).toBe(0);
    expect(readFileSync(join(userDir, 'settings.js'), 'utf8')).toContain("username: 'fred'");
    expect(readFileSync(join(userDir, 'settings.js.backup'), 'utf8')).toContain('mine');
  });

  it('writes nothing when the input ends early', async () => {
    const userDir = newPath();
    expect((await sluice(['init', '-u', userDir], { input: 'fred\n' })).code).toBe(1);
    expect(existsSync(join(userDir, 'settings.js'))).toBe(false);
  });

  it.skipIf(!hasPseudoTerminal())(
    'works on a terminal, without echo of secrets (needs the program script)',
    async () => {
      const userDir = newPath();
      const ended = await typed(`init -u ${userDir}`, [
        ['User name [admin]: ', 'fred\r'],
        ['Password: ', 'correct horse\r'],
        ['Password again: ', 'correct horse\r'],
        ['Port [1880]: ', '\r'],
        ['Secret for the credentials of nodes [a random one]: ', 'very secret\r'],
      ]);
      expect(ended.stdout).toContain(`Wrote ${userDir}/settings.js`);
      expect(ended.stdout).toContain('fred');
      expect(ended.stdout).not.toMatch(/horse|very secret/);
    },
  );
});

/** The processes that a process started, theirs included. */
function descendantsOf(pid: number): { readonly pid: number }[] {
  return childrenOf(pid).flatMap((child) => [child, ...descendantsOf(child.pid)]);
}

function hasPseudoTerminal(): boolean {
  return process.platform === 'linux' && existsSync('/usr/bin/script');
}

/** Runs the command on a pseudo-terminal and types an answer whenever its question has appeared. */
async function typed(args: string, answers: readonly (readonly [string, string])[]) {
  const bin = new URL('../../bin/sluice.js', import.meta.url).pathname;
  const waiting = [...answers];
  let from = 0;
  const child = runCommand('/usr/bin/script', ['-qec', `${process.execPath} ${bin} ${args}`, '/dev/null'], {
    keepInput: true,
    onOutput: (printed, process) => {
      const next = waiting[0];
      const at = next === undefined ? -1 : printed.indexOf(next[0], from);
      if (next === undefined || at < 0) return;
      from = at + next[0].length;
      waiting.shift();
      process.stdin?.write(next[1]);
    },
  });
  const ended = await child;
  expect(waiting).toEqual([]);
  expect(ended.code).toBe(0);
  return ended;
}
