import { createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import type { IncomingHttpHeaders } from 'node:http';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { AppError } from '../../contract/errors.ts';

/** Where uploads of a user directory lie while they are looked at. Emptied at start: a killed process leaves its own. */
export function uploadFolder(userDir: string): string {
  return join(userDir, '.sluice', 'upload');
}

/** An uploaded file on disk; gone when it is disposed of. */
export interface Upload extends AsyncDisposable {
  /** Absolute path, in a folder of its own. */
  readonly path: string;
}

/**
 * Receives a package file from a `multipart/form-data` body: its first file part, whatever that is called (decision 18).
 * @param limits the file's size limit, and the folder to put it below.
 * @throws AppError `invalid_request` (no file; fields of another kind of installation), `invalid_tarball` (not named
 * `.tgz`, too large), `bad_request` (not a form), `storage.failed`. Nothing is left on disk then; the rest of the body is read and dropped.
 */
export async function receiveUpload(
  body: Readable,
  headers: IncomingHttpHeaders,
  { maxBytes, below }: { readonly maxBytes: number; readonly below: string },
): Promise<Upload> {
  const folder = await mkdir(below, { recursive: true })
    .then(() => mkdtemp(join(below, 'u-')))
    .catch((cause: unknown) => {
      throw notStored(cause);
    });
  const path = join(folder, 'upload.tgz');
  try {
    await receive(body, headers, maxBytes, path);
    return { path, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) };
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  } finally {
    body.unpipe();
    body.resume();
  }
}

async function receive(
  body: Readable,
  headers: IncomingHttpHeaders,
  maxBytes: number,
  path: string,
): Promise<void> {
  // Only uploads need it; a start does not pay for it.
  const { Busboy } = await import('@fastify/busboy');
  return new Promise((resolve, reject) => {
    const broken = (cause: unknown) =>
      reject(new AppError('bad_request', { detail: 'The form could not be read', cause }));
    let form: InstanceType<typeof Busboy>;
    try {
      form = new Busboy({
        headers: { ...headers, 'content-type': headers['content-type'] ?? '' },
        limits: { fileSize: maxBytes, files: 1, fields: 100, fieldSize: 64 * 1024, headerPairs: 100 },
      });
    } catch (error) {
      broken(error);
      return;
    }
    let found = false;
    form.on('field', (name) => {
      if (name !== 'module' && name !== 'version' && name !== 'url') return;
      reject(
        new AppError('invalid_request', { detail: `An upload can't be combined with the field "${name}"` }),
      );
    });
    form.on('file', (_name, file, fileName) => {
      found = true;
      if (!fileName?.endsWith('.tgz')) {
        file.resume();
        reject(new AppError('invalid_tarball', { detail: "The file's name must end in .tgz" }));
        return;
      }
      pipeline(file, createWriteStream(path, { mode: 0o600 })).then(
        () => {
          if (!file.truncated) return resolve();
          reject(new AppError('invalid_tarball', { detail: `The file is larger than ${maxBytes} bytes` }));
        },
        (cause) => (isOfSystem(cause) ? reject(notStored(cause)) : broken(cause)),
      );
    });
    form.on('error', broken);
    form.on('finish', () => {
      if (!found) reject(new AppError('invalid_request', { detail: 'The form holds no file' }));
    });
    body.on('error', broken);
    body.pipe(form);
  });
}

function notStored(cause: unknown): AppError {
  return new AppError('storage.failed', { detail: 'The upload could not be written to disk', cause });
}

/** Whether an error is the operating system's, and not one of the form's. */
function isOfSystem(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error;
}
