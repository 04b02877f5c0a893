import { describe, expect, it } from 'vitest';
import { describeExit, exitReason } from './exit-reason.ts';

describe('why the engine ended', () => {
  it('is its exit code, a signal, or that it ran out of memory', () => {
    expect(exitReason(3, null, '')).toEqual({ is: 'exit', code: 3 });
    expect(exitReason(null, 'SIGSEGV', '')).toEqual({ is: 'signal', signal: 'SIGSEGV' });
    const words = 'FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory';
    expect(exitReason(null, 'SIGABRT', words)).toEqual({ is: 'out-of-memory' });
    expect(exitReason(134, null, words)).toEqual({ is: 'out-of-memory' });
    // A flow may write what it likes.
    expect(exitReason(1, null, words)).toEqual({ is: 'exit', code: 1 });
  });

  it('is told in words', () => {
    expect(describeExit({ is: 'exit', code: 0, calledAt: 'f (/x.js:1:2)' })).toBe(
      'ended itself with exit code 0 (process.exit was called at f (/x.js:1:2))',
    );
    expect(describeExit({ is: 'signal', signal: 'SIGSEGV' })).toBe('was killed by SIGSEGV');
    expect(describeExit({ is: 'not-started', why: 'ENOENT' })).toBe('could not be started: ENOENT');
  });
});
