import { describe, expect, it } from 'vitest';
import type { EngineState } from '../supervisor/state.ts';
import { engineNotice, engineNoticeTopic, publishEngineNotices } from './engine-notice.ts';

const since = new Date(0);
const running: EngineState = { is: 'running', since, pid: 1 };
const unresponsive: EngineState = { is: 'unresponsive', since, pid: 1, before: running };
const crashed: EngineState = {
  is: 'crashed',
  since,
  exit: { reason: 'exit', code: 1 } as never,
  retryAt: since,
};

describe('engineNotice', () => {
  it.each([unresponsive, crashed])('says what can be done when the engine is $is', (state) => {
    expect(engineNotice(state)).toMatchObject({
      type: expect.any(String),
      text: expect.stringMatching(/^The engine/),
    });
  });

  it('names the node that blocks the engine, where it is known', () => {
    const blocked = { node: { id: 'a1', type: 'function', name: '<b>' }, stack: [] };
    expect(engineNotice({ ...unresponsive, blocked })).toMatchObject({
      text: expect.stringContaining('the function node "<b>" (a1) may be'),
      defaultValue: expect.not.stringContaining('<b>'),
    });
  });

  it('is shown once, kept until the engine runs again, and then taken away', () => {
    const published: [string, object, boolean | undefined][] = [];
    let tell: (state: EngineState) => void = () => {};
    publishEngineNotices(
      { publish: (topic, data, options) => published.push([topic, data as object, options?.retain]) },
      {
        on: (_event, listener) => {
          tell = listener;
          return () => {};
        },
      },
    );
    for (const state of [running, crashed, { is: 'starting', since, attempt: 2 } as const, crashed, running])
      tell(state);
    expect(published).toEqual([
      [engineNoticeTopic, engineNotice(crashed), true],
      [engineNoticeTopic, {}, false],
    ]);
  });
});
