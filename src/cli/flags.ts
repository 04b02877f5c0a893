/** The commands; `start` is meant where none is named. */
export const commands = ['start', 'init', 'hash-pw'] as const;
export type CommandName = (typeof commands)[number];

/** One flag: what help says of it, and which commands take it. */
export interface Flag {
  readonly type: 'string' | 'boolean';
  readonly short?: string;
  /** What stands for the value in the help. */
  readonly value?: string;
  readonly help: string;
  readonly for: readonly CommandName[];
  readonly multiple?: true;
}

/** Every flag. Parsing and the help come from here. */
export const flags = {
  port: { type: 'string', short: 'p', value: 'PORT', help: 'port to listen on', for: ['start', 'init'] },
  settings: { type: 'string', short: 's', value: 'FILE', help: 'settings file to use', for: ['start'] },
  userDir: {
    type: 'string',
    short: 'u',
    value: 'DIR',
    help: 'user directory (default ~/.sluice)',
    for: ['start', 'init'],
  },
  define: {
    type: 'string',
    short: 'D',
    value: 'X=Y',
    help: 'overrides a setting, by dotted name; @FILE reads a JSON file of them',
    for: ['start'],
    multiple: true,
  },
  safe: { type: 'boolean', help: 'loads the modules, but starts no flow', for: ['start'] },
  verbose: { type: 'boolean', short: 'v', help: 'shows debug lines and stacks of errors', for: ['start'] },
  title: { type: 'string', value: 'TITLE', help: 'title of the process', for: ['start'] },
  'no-telemetry': { type: 'boolean', help: 'accepted; nothing is ever sent', for: ['start'] },
  bcrypt: { type: 'boolean', help: 'makes a bcrypt hash instead of argon2id', for: ['hash-pw'] },
  version: { type: 'boolean', help: 'shows the version', for: ['start', 'init', 'hash-pw'] },
  help: { type: 'boolean', short: '?', help: 'shows this help', for: ['start', 'init', 'hash-pw'] },
} as const satisfies { readonly [name: string]: Flag };

/** The text of `--help`. */
export function helpText(version: string): string {
  const rows = Object.entries<Flag>(flags).map(([name, flag]) => {
    const short = flag.short === undefined ? '   ' : `-${flag.short},`;
    const long = `--${name}${flag.value === undefined ? '' : ` ${flag.value}`}`;
    const only = flag.for.includes('start') ? '' : ` (${flag.for.join(', ')})`;
    return `  ${short} ${long.padEnd(18)} ${flag.help}${only}`;
  });
  return `Sluice v${version}

Usage: sluice [flags] [flows.json]    starts the server
       sluice init [-u DIR]           asks a few questions and writes a settings file
       sluice hash-pw [--bcrypt]      asks for a password and prints its hash

Flags:
${rows.join('\n')}

Settings: docs/settings.md; a first start writes a settings file with comments.
`;
}
