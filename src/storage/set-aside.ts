import { constants } from 'node:fs';
import { copyFile, open } from 'node:fs/promises';

/**
 * Copies a file that can't be used to `<path>.<why>-<time>` beside it, before something else takes its place.
 * @returns the copy's path
 * @throws the system's error; the caller must then leave the original alone
 */
export async function setAside(path: string, why: 'broken' | 'undecryptable'): Promise<string> {
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
