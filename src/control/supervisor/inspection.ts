import type { BlockedAt } from './blocked-at.ts';
import { Inspector } from './inspector.ts';
import { readStack } from './stack-reader.ts';

/** Options for Node.js with which a process that is asked to can be looked into, on a port that nobody can foresee. */
const inspectable: readonly string[] = ['--inspect-port=127.0.0.1:0'];

/** For how long Node.js may speak of an inspector that was opened. */
const chatterMs = 5000;

/** What Node.js says on stderr when a debugger may come, and when one has; `url` is where to. */
const invitation = /^Debugger listening on (?<url>ws:\/\/127\.0\.0\.1:\d+\/[\w-]+)\r?\n/m;
const chatter =
  /^(?:Debugger (?:listening on|attached|ending on)|For help, see: http|Waiting for the debugger).*\r?\n/gm;

/** What an inspection works on. */
export interface InspectionDeps {
  /** The options that the administrator gives the process. */
  readonly execArgv: readonly string[];
  /** Told where the process is, where that can be known. */
  readonly onLocated: (at: BlockedAt) => void;
}

/**
 * Looks into a process that does not respond, through its inspector: that listens on the loopback address from the
 * signal until it was asked, some tenths of a second. The process says on stderr where.
 */
export class Inspection {
  readonly #mayInspect: boolean;
  readonly #onLocated: (at: BlockedAt) => void;
  /** What is expected of the inspector: nothing, that it opens, that it opens once more. */
  #expected: 'nothing' | 'opening' | 'reopening' = 'nothing';
  #quietUntil = 0;

  constructor({ execArgv, onLocated }: InspectionDeps) {
    this.#mayInspect = mayInspect(execArgv);
    this.#onLocated = onLocated;
  }

  /** Options that the process is started with. */
  get execArgv(): readonly string[] {
    return this.#mayInspect ? inspectable : [];
  }

  /** @returns the signal that has the process open its inspector; undefined where that is not ours to do */
  begin(): 'SIGUSR1' | undefined {
    if (!this.#mayInspect) return undefined;
    this.#expected = 'opening';
    return 'SIGUSR1';
  }

  /** Goes where the inspector invites, when it was asked to open; leaves out what Node.js says of that. */
  hear(said: string): string {
    if (this.#expected === 'nothing' && this.#quietUntil === 0) return said;
    const url = invitation.exec(said)?.groups?.['url'];
    if (url !== undefined && this.#expected !== 'nothing') {
      this.#quietUntil = performance.now() + chatterMs;
      if (this.#expected === 'opening') {
        this.#expected = 'reopening';
        void readStack(url).then((at) => at && this.#onLocated(at));
      } else {
        // Node.js opens it once more when the event loop turns again.
        this.#expected = 'nothing';
        void Inspector.at(url).then((inspector) => inspector?.end());
      }
    }
    return performance.now() < this.#quietUntil ? said.replace(chatter, '') : said;
  }
}

/** Whether these options leave it to us to have the process looked into. */
function mayInspect(execArgv: readonly string[], env: NodeJS.ProcessEnv = process.env): boolean {
  const options = [...execArgv, env['NODE_OPTIONS'] ?? ''].join(' ');
  return process.platform !== 'win32' && !/--(?:inspect|debug|disable-sigusr1|permission)/.test(options);
}
