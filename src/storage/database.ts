import { chmodSync, closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/**
 * Opens (or creates) an SQLite database that only its owner can read.
 * @remarks Write-ahead log, every commit on the disk before it returns, foreign keys on, and up to five seconds of waiting
 * for another process's lock. The log and shared-memory files take their permissions from the database file. Whoever
 * opens it closes it. SQL stays inside `storage/`.
 */
export function openDatabase(path: string): DatabaseSync {
  mkdirSync(dirname(path), { recursive: true });
  // Created here, so that it is at no moment readable by others.
  closeSync(openSync(path, 'a', 0o600));
  chmodSync(path, 0o600);
  const database = new DatabaseSync(path);
  try {
    database.exec(`
      PRAGMA busy_timeout = 5000;
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = FULL;
      PRAGMA foreign_keys = ON;
    `);
  } catch (error) {
    database.close();
    throw error;
  }
  return database;
}

/** A database that is kept in memory only, for a user directory that nothing is written to. */
export function openMemoryDatabase(): DatabaseSync {
  return new DatabaseSync(':memory:');
}
