/** The hooks that code may add to; `RED.hooks.add` refuses other names. */
export const hookNames = [
  'onSend',
  'preRoute',
  'preDeliver',
  'postDeliver',
  'onReceive',
  'postReceive',
  'onComplete',
  'preInstall',
  'postInstall',
  'preUninstall',
  'postUninstall',
] as const;
export type HookName = (typeof hookNames)[number];

/**
 * A handler of a hook. With one parameter it is synchronous or gives a promise, and `false` halts; with two it is given
 * a callback: nothing continues, `false` halts, anything else is an error.
 */
export type HookHandler = (event: never, done: (result?: unknown) => void) => unknown;

/** How the handlers of a hook ended: `undefined` went through, `false` halted, anything else is the error. */
export type HookResult = (result?: unknown) => void;

interface Entry {
  readonly handle: (event: unknown, done: HookResult) => unknown;
  readonly parameters: number;
  removed: boolean;
}

/**
 * `RED.hooks`: handlers that may look at, change or halt messages on their way, and module installs.
 * @remarks The flags are for the message path, which pays for a hook only where one was added.
 */
export class Hooks {
  /** Somebody listens to `onSend`, `preRoute`, `preDeliver` or `postDeliver`. */
  sending = false;
  /** Somebody listens to `onReceive` or `postReceive`. */
  receiving = false;
  /** Somebody listens to `onComplete`. */
  completing = false;

  readonly #entries = new Map<HookName, Entry[]>();
  readonly #labelled = new Map<string, Map<HookName, Entry>>();

  /**
   * Adds a handler to `<hook>` or `<hook>.<label>`; handlers run in the order of their adding.
   * @throws Error for an unknown hook, or a label that has a handler of this hook already.
   */
  add(name: string, handler: HookHandler): void {
    const [hook, label] = splitName(name);
    if (!isHookName(hook)) throw new Error(`Invalid hook '${hook}'`);
    const ofLabel = label === undefined ? undefined : this.#labelled.get(label);
    if (ofLabel?.has(hook)) throw new Error(`Hook ${name} already registered`);
    const entry: Entry = {
      handle: handler as Entry['handle'],
      parameters: handler.length,
      removed: false,
    };
    this.#entries.set(hook, [...(this.#entries.get(hook) ?? []), entry]);
    if (label !== undefined) {
      if (ofLabel === undefined) this.#labelled.set(label, new Map([[hook, entry]]));
      else ofLabel.set(hook, entry);
    }
    this.#refresh();
  }

  /**
   * Removes what was added as `<hook>.<label>`, or everything of a label: `*.<label>`.
   * @throws Error where the name has no label.
   */
  remove(name: string): void {
    const [hook, label] = splitName(name);
    if (label === undefined) throw new Error(`Cannot remove hook without label: ${name}`);
    const ofLabel = this.#labelled.get(label);
    if (ofLabel === undefined) return;
    for (const [each, entry] of [...ofLabel]) {
      if (hook !== '*' && hook !== each) continue;
      entry.removed = true;
      this.#entries.set(
        each,
        (this.#entries.get(each) ?? []).filter((kept) => kept !== entry),
      );
      ofLabel.delete(each);
    }
    if (ofLabel.size === 0) this.#labelled.delete(label);
    this.#refresh();
  }

  /** Whether anybody listens to `<hook>`, or whether `<hook>.<label>` was added. */
  has(name: string): boolean {
    const [hook, label] = splitName(name);
    if (label !== undefined) return this.#labelled.get(label)?.has(hook as HookName) ?? false;
    return (this.#entries.get(hook as HookName)?.length ?? 0) > 0;
  }

  /** Removes every handler. */
  clear(): void {
    this.#entries.clear();
    this.#labelled.clear();
    this.#refresh();
  }

  /**
   * Runs the handlers of a hook one after the other.
   * @param done Told how it ended, at once where no handler waits. Without it a promise is given: of `undefined` or
   * `false`, rejected with an Error whose `hook` is the name.
   */
  trigger(name: string, event: unknown, done: HookResult): void;
  trigger(name: string, event: unknown): Promise<false | undefined>;
  trigger(name: string, event: unknown, done?: HookResult): Promise<false | undefined> | undefined {
    const entries = this.#entries.get(name as HookName);
    if (done !== undefined) {
      if (entries === undefined || entries.length === 0) done();
      else run(entries, 0, event, done);
      return undefined;
    }
    return new Promise((resolve, reject) => {
      run(entries ?? [], 0, event, (result) => {
        if (result === undefined || result === false) resolve(result);
        else {
          const error = result instanceof Error ? result : new Error(String(result));
          reject(Object.assign(error, { hook: name }));
        }
      });
    });
  }

  #refresh(): void {
    this.sending =
      this.has('onSend') || this.has('preRoute') || this.has('preDeliver') || this.has('postDeliver');
    this.receiving = this.has('onReceive') || this.has('postReceive');
    this.completing = this.has('onComplete');
  }
}

function run(entries: readonly Entry[], from: number, event: unknown, done: HookResult): void {
  for (let index = from; index < entries.length; index++) {
    const entry = entries[index];
    if (entry === undefined || entry.removed) continue;
    let answered = false;
    const goOn = (result?: unknown) => {
      // Only the first answer counts, or the message would go on twice.
      if (answered) return;
      answered = true;
      if (result === undefined) run(entries, index + 1, event, done);
      else done(result);
    };
    if (entry.parameters !== 1) {
      try {
        entry.handle(event, goOn);
      } catch (error) {
        done(error);
      }
      return;
    }
    let result: unknown;
    try {
      result = entry.handle(event, goOn);
    } catch (error) {
      done(error);
      return;
    }
    if (result === false) {
      done(false);
      return;
    }
    if (isThenable(result)) {
      result.then(goOn, (error: unknown) => done(error ?? new Error('A hook was rejected')));
      return;
    }
  }
  done();
}

function splitName(name: string): [hook: string, label: string | undefined] {
  const [hook = '', label] = name.split('.');
  return [hook, label === '' ? undefined : label];
}

function isHookName(name: string): name is HookName {
  return (hookNames as readonly string[]).includes(name);
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}
