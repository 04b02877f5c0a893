import { spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A file system of a few megabytes, which a test can fill. */
export class SmallVolume implements Disposable {
  readonly path: string;

  private constructor(path: string) {
    this.path = path;
  }

  /** Mounts one; `undefined` where that takes rights or a system that the tests do not have. */
  static mount(megabytes = 8): SmallVolume | undefined {
    if (process.platform !== 'linux') return undefined;
    const path = mkdtempSync(join(tmpdir(), 'sluice-volume-'));
    const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', path]);
    if (mounted.status === 0) return new SmallVolume(path);
    rmSync(path, { recursive: true, force: true });
    return undefined;
  }

  /** Takes what space there is left. */
  fill(): void {
    const file = openSync(this.#ballast, 'a');
    try {
      for (let size = 1 << 20; size >= 1; ) {
        try {
          writeSync(file, Buffer.alloc(size));
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
          size >>= 1;
        }
      }
    } finally {
      closeSync(file);
    }
  }

  /** Gives it back. */
  free(): void {
    rmSync(this.#ballast, { force: true });
  }

  [Symbol.dispose](): void {
    // Lazily: a process that is about to end may still have a file open.
    spawnSync('umount', ['-l', this.path]);
    rmSync(this.path, { recursive: true, force: true });
  }

  get #ballast(): string {
    return join(this.path, 'ballast');
  }
}
