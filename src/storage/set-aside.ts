import { constants } from 'node:fs';
import { copyFile, open } from 'node:fs/promises';

/** Why a file's content is kept as a copy; part of the copy's name. */
export type Aside = 'broken' | 'undecryptable' | 'replaced';

/**
 * Copies a file to `<path>.<why>-<time>` beside it, before something else takes its place.
 * @returns the copy's path
 * @throws the system's error; the caller must then leave the original alone
 */
export async function setAside(path: string, why: Aside): Promise<string> {
  const copy = `${path}.${why}-${new Date().toISOString().replaceAll(/[:.]/g, '-')}`;
  await copyFile(path, copy, constants.COPYFILE_EXCL);
  const file = await open(copy, 'r+');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
  return copy;
}
