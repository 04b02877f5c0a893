import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from 'vitest';
import { runCommand } from '../support/command.ts';
import { freePort, waitFor } from '../support/server.ts';
import { describeWith } from '../support/services.ts';

/**
 * The tour of the README, run as printed but for the port and the folder. Comments that only this test sees say what is
 * typed (`answers …`), what goes on running (`server`), and what the block above must print (`says …`).
 */
interface Step {
  readonly is: 'run' | 'server';
  readonly code: string;
  readonly answers: readonly string[];
  readonly says: string[];
}

const root = fileURLToPath(new URL('../../', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'sluice-readme-'));
const port = await freePort();

const steps = readSteps(
  readFileSync(join(root, 'README.md'), 'utf8')
    .replaceAll('1880', String(port))
    .replaceAll('~/', `${folder}/`),
);

function readSteps(text: string): Step[] {
  const found: Step[] = [];
  let note = '';
  for (const match of text.matchAll(/^<!-- test: (.+) -->$|^```sh\n([\s\S]*?)^```$/gm)) {
    const [, comment, code] = match;
    if (comment?.startsWith('says ')) found.at(-1)?.says.push(comment.slice('says '.length));
    else if (comment !== undefined) note = comment;
    else if (code !== undefined) {
      const answers = note.startsWith('answers ') ? note.slice('answers '.length).split(', ') : [];
      found.push({
        is: note === 'server' ? 'server' : 'run',
        code,
        answers: answers.map((answer) => (answer === '(nothing)' ? '' : answer)),
        says: [],
      });
      note = '';
    }
  }
  return found;
}

/** Whether a block printed what `says …` promises. */
function isSaid(says: string, printed: string): boolean {
  return says === 'a number from 1 to 6' ? /(?:^|[^\d.])[1-6]$/.test(printed.trim()) : printed.includes(says);
}

/** One bash in which the blocks run one after the other, as in a terminal. */
class Shell {
  readonly #bash = spawn('bash', [], { cwd: folder, stdio: ['pipe', 'pipe', 'pipe'] });
  #printed = '';

  constructor() {
    for (const stream of [this.#bash.stdout, this.#bash.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        this.#printed += text;
      });
    }
  }

  /** What the commands print. */
  async run(code: string): Promise<string> {
    const mark = `end-${Math.random()}`;
    this.#printed = '';
    this.#bash.stdin.write(`${code}\nprintf '%s\\n' '${mark}'\n`);
    await waitFor(() => this.#printed.includes(`${mark}\n`), `the end of: ${code}`, 60_000);
    return this.#printed.slice(0, this.#printed.indexOf(mark));
  }

  async end(): Promise<void> {
    this.#bash.stdin.end();
    if (this.#bash.exitCode === null) await new Promise((resolve) => this.#bash.once('exit', resolve));
  }
}

await describeWith('the npm registry', 'the tour of the README', () => {
  const shell = new Shell();
  let server: ChildProcess | undefined;
  let serverLog = '';
  afterAll(async () => {
    await shell.end();
    server?.kill('SIGTERM');
    if (server && server.exitCode === null) await new Promise((resolve) => server?.once('exit', resolve));
    rmSync(folder, { recursive: true, force: true });
  });

  it('has the steps that it promises', () => {
    expect(steps.filter(({ is }) => is === 'server')).toHaveLength(1);
    expect(steps.filter(({ says }) => says.length > 0).length).toBeGreaterThanOrEqual(4);
  });

  for (const step of steps) {
    it(`${step.code.split('\n')[0]?.replaceAll(folder, '~')}`, async () => {
      if (step.is === 'server') {
        server = spawn('bash', ['-c', `exec ${step.code}`], { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
        for (const stream of [server.stdout, server.stderr]) {
          stream?.on('data', (text) => {
            serverLog += text;
          });
        }
        await waitFor(() => serverLog.includes('now running at'), `the server:\n${serverLog}`, 60_000);
        return;
      }
      if (step.answers.length > 0) {
        const input = step.answers.map((answer) => `${answer}\n`).join('');
        const ended = await runCommand('bash', ['-c', step.code], { cwd: root, input });
        expect(ended).toMatchObject({ code: 0 });
        return;
      }
      const printed = await shell.run(step.code);
      expect(
        step.says.filter((says) => !isSaid(says, printed)),
        `${printed}
${serverLog}`,
      ).toEqual([]);
    });
  }
});
