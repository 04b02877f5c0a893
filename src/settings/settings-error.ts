import type { Problem } from './kinds/index.ts';
import type { SettingsSource } from './source.ts';

/** Where settings come from. */
type Origin = Pick<SettingsSource, 'file' | 'overrides'>;

/** A settings file that cannot be used. The message is one line per problem, for an administrator. */
export class SettingsError extends Error {
  /** Path of the file, where the settings came from one. */
  readonly file: string | undefined;
  /** The wrong values; empty where the file could not be read at all. */
  readonly problems: readonly Problem[];

  constructor(
    message: string,
    details: { file?: string | undefined; problems?: readonly Problem[]; cause?: unknown } = {},
  ) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = 'SettingsError';
    this.file = details.file;
    this.problems = details.problems ?? [];
  }

  /** An error that names each setting, what was found, what was expected, and the file or the command line. */
  static ofProblems(problems: readonly Problem[], { file, overrides }: Origin): SettingsError {
    const whereOf = ({ setting }: Problem): string => {
      if (Object.keys(overrides).some((name) => setting === name || setting.startsWith(`${name}.`)))
        return ' (on the command line)';
      return file === undefined ? '' : ` (in ${file})`;
    };
    const lines = problems.map(
      (p) => `setting ${p.setting}: found ${p.found}, expected ${p.expected}${whereOf(p)}`,
    );
    return new SettingsError(lines.join('\n'), { file, problems });
  }
}
