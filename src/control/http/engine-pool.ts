import { EngineConnection } from './engine-connection.ts';

/** Idle connections beyond this are closed. */
const maxIdle = 256;

/** Connections to the engine's socket, kept for the next request; those to an engine that is gone are dropped. */
export class EnginePool {
  #path = '';
  #idle: EngineConnection[] = [];

  /** A connection that serves nobody: a kept one, else a new one. */
  take(path: string): EngineConnection {
    if (path !== this.#path) {
      this.close();
      this.#path = path;
    }
    for (;;) {
      // The latest: the others may be closed when traffic is low.
      const kept = this.#idle.pop();
      if (!kept) return new EngineConnection(path, (connection) => this.#forget(connection));
      if (kept.alive) return kept;
    }
  }

  /** Takes a connection back after its response, for another request where that can be. */
  give(connection: EngineConnection, path: string): void {
    if (!connection.release()) return;
    if (path === this.#path && this.#idle.length < maxIdle) this.#idle.push(connection);
    else connection.destroy();
  }

  close(): void {
    const idle = this.#idle;
    this.#idle = [];
    for (const connection of idle) connection.destroy();
  }

  #forget(connection: EngineConnection): void {
    const at = this.#idle.indexOf(connection);
    if (at >= 0) this.#idle.splice(at, 1);
  }
}
