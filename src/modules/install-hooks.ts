/** The hooks around npm, which code in the engine may add handlers to. */
export type InstallHook = 'preInstall' | 'postInstall' | 'preUninstall' | 'postUninstall';

/**
 * What handlers are told of an npm run. They may change `args`; what else they write into it, later handlers of the
 * same run read, as far as JSON carries it.
 */
export interface InstallEvent {
  readonly module: string;
  readonly version?: string | undefined;
  /** Where the package comes from, when not from the registry: an address, or an uploaded file. */
  readonly url?: string | undefined;
  /** The folder in which npm runs. */
  readonly dir: string;
  /** It is there already, brought by another module. */
  readonly isExisting?: boolean;
  /** It changes the version of an installed one. */
  readonly isUpgrade?: boolean;
  /** Options for npm. */
  readonly args: readonly string[];
}

/** How the handlers of a hook ended. */
export interface HookOutcome {
  /** A handler gave `false`: npm is not to be run. */
  readonly halted: boolean;
  /** The event as the handlers left it. */
  readonly event: InstallEvent;
}

/** Whoever runs the handlers. */
export interface InstallHooks {
  /**
   * Runs the handlers of a hook, where somebody can.
   * @throws AppError `install_failed` where a handler threw.
   */
  trigger(hook: InstallHook, event: InstallEvent): Promise<HookOutcome>;
}

/** Options that npm installs a node module with, as handlers are shown them. */
export const installOptions = [
  '--no-audit',
  '--no-update-notifier',
  '--no-fund',
  '--save',
  '--save-prefix=~',
  '--omit=dev',
  '--engine-strict',
] as const;
/** And a package for function nodes. */
export const externalOptions = ['--omit=dev', '--engine-strict'] as const;
/** And what npm removes one with. */
export const removeOptions = ['--no-audit', '--no-update-notifier', '--no-fund', '--save'] as const;

/** Nobody listens. */
export const noHooks: InstallHooks = { trigger: async (_, event) => ({ halted: false, event }) };

/**
 * Has npm install with the options that the handlers leave, or, where one halts, does without; then the handlers for afterwards.
 * @returns whether npm ran
 */
export async function aroundInstall(
  hooks: InstallHooks,
  event: InstallEvent,
  run: (args: readonly string[]) => Promise<void>,
): Promise<boolean> {
  const first = await hooks.trigger('preInstall', event);
  if (!first.halted) await run(first.event.args);
  await hooks.trigger('postInstall', first.event);
  return !first.halted;
}
