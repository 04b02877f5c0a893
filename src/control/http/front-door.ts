/**
 * Which requests are for the admin API, told from the first segment of their path alone, so that traffic of node-owned
 * routes pays for no router.
 */
export class FrontDoor {
  readonly #root: string;
  readonly #segments = new Set<string>();

  /** @param root `httpAdminRoot`, with both slashes. */
  constructor(root: string) {
    this.#root = root.toLowerCase();
  }

  /** Makes a route known; `path` is the whole path, root included. */
  add(path: string): void {
    const segment = this.#firstSegment(path);
    if (segment !== undefined) this.#segments.add(segment);
  }

  /** Whether a route might match. A request that it turns away is the engine's. */
  admits(url: string): boolean {
    const segment = this.#firstSegment(url);
    return segment !== undefined && this.#segments.has(segment);
  }

  #firstSegment(url: string): string | undefined {
    const root = this.#root;
    let start = 1;
    if (root.length === 1) {
      if (url.charCodeAt(0) !== 47) return undefined;
    } else {
      start = root.length;
      const head = url.slice(0, start).toLowerCase();
      if (head !== root) {
        // The root itself, without its last slash.
        const bare = /^[^?#]*/.exec(url)?.[0].toLowerCase();
        return bare === root.slice(0, -1) ? '' : undefined;
      }
    }
    let end = start;
    while (end < url.length) {
      const char = url.charCodeAt(end);
      if (char === 47 || char === 63) break; // a slash or a question mark
      end += 1;
    }
    return url.slice(start, end).toLowerCase();
  }
}
