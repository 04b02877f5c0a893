import type { Node } from '../node/node.ts';

/**
 * Closes nodes side by side, and gives up on those that take too long.
 * @remarks A node that cannot be closed says so in the log and holds nobody up.
 */
export class NodeCloser {
  readonly #timeoutMs: number;
  readonly #waiting = new Set<Node>();
  #allClosed: (() => void) | undefined;

  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs;
  }

  /** Starts to close a node. */
  close(node: Node, removed: boolean): void {
    let closing: unknown;
    try {
      closing = node.close(removed);
    } catch (error) {
      node.error(error);
      return;
    }
    // Types may have a `close` of their own that gives nothing.
    if (!isThenable(closing)) return;
    this.#waiting.add(node);
    closing.then(
      () => this.#closed(node),
      (error: unknown) => {
        if (this.#waiting.has(node)) report(node, error);
        this.#closed(node);
      },
    );
  }

  /** Resolves when all nodes have closed, or time is up. */
  async done(): Promise<void> {
    if (this.#waiting.size === 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(() => {
        for (const node of this.#waiting) report(node, 'Close timed out');
        this.#waiting.clear();
        resolve();
      }, this.#timeoutMs);
      this.#allClosed = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  #closed(node: Node): void {
    this.#waiting.delete(node);
    if (this.#waiting.size === 0) this.#allClosed?.();
  }
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}

function report(node: Node, problem: unknown): void {
  node.error(`Error stopping node: ${problem instanceof Error ? problem.message : String(problem)}`);
}
