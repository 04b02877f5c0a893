import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { AppError, errors } from './errors.ts';

describe('docs/errors.md', () => {
  it('lists every code with its status, and no other', () => {
    const page = readFileSync(new URL('../../docs/errors.md', import.meta.url), 'utf8');
    const listed = [...page.matchAll(/^\| `([\w.]+)` \| (\d{3}) \| \S.* \|$/gm)].map(([, code, status]) => [
      code,
      Number(status),
    ]);
    const known = Object.entries(errors).map(([code, { status }]) => [code, status]);
    expect(listed.toSorted()).toEqual(known.toSorted());
  });
});

describe('AppError', () => {
  it('tells clients the table’s words or the detail, and the log its own', () => {
    expect(new AppError('not_found')).toMatchObject({
      detail: 'Not found',
      message: 'Not found',
      status: 404,
    });
    expect(new AppError('not_found', { detail: 'No such tab' })).toMatchObject({
      detail: 'No such tab',
      message: 'No such tab',
    });
    const cause = new Error('EIO');
    expect(new AppError('storage.failed', { message: 'flows.json: EIO', cause })).toMatchObject({
      detail: 'The change could not be written to disk',
      message: 'flows.json: EIO',
      cause,
    });
  });
});
