import { afterEach, describe, expect, it } from 'vitest';
import { core, give, logged, type Message, received } from '../../../test/support/core-node.ts';
import helper from '../../testing/index.ts';

const at = { z: 'tab', x: 0, y: 0 };
const out = (id: string) => ({ id, type: 'helper', ...at, wires: [] });
const load = (...items: Parameters<typeof helper.load>[1]) =>
  helper.load([core('common/60-link'), core('function/15-change')], [{ id: 'tab', type: 'tab' }, ...items]);
const payloads = (messages: readonly Message[]) => messages.map(({ payload }) => payload);
const called = [
  { id: 'in', type: 'link in', name: 'callee', ...at, wires: [['set']] },
  {
    id: 'set',
    type: 'change',
    rules: [{ t: 'set', p: 'seen', pt: 'msg', to: 'x', tot: 'str' }],
    ...at,
    wires: [['back']],
  },
  { id: 'back', type: 'link out', mode: 'return', links: [], ...at, wires: [] },
];

afterEach(() => helper.unload());

describe('link call', () => {
  it('gets its own message back, by id, by name, and from a call within a call', async () => {
    await load(
      ...called,
      { id: 'n1', type: 'link call', links: ['in'], linkType: 'static', ...at, wires: [['n2']] },
      { id: 'n2', type: 'link call', links: [], linkType: 'dynamic', ...at, wires: [['out']] },
      { id: 'outer', type: 'link in', name: 'outer', ...at, wires: [['inner']] },
      { id: 'inner', type: 'link call', links: 'in', ...at, wires: [['back2']] },
      { id: 'back2', type: 'link out', mode: 'return', ...at, wires: [] },
      { id: 'c', type: 'complete', scope: ['n1'], ...at, wires: [['completed']] },
      out('completed'),
      out('out'),
    );
    const completed = received('completed', 3);
    const answers = await give('n1', [
      { payload: 1, target: 'callee' },
      { payload: 2, target: 'in' },
      { payload: 3, target: 'outer' },
    ]);
    expect(answers).toMatchObject([{ payload: 1, seen: 'x' }, { payload: 2 }, { payload: 3, seen: 'x' }]);
    expect(answers.some((answer) => '_linkSource' in answer)).toBe(false);
    expect(payloads(await completed)).toEqual([1, 2, 3]);
  });

  it('reports a target that is not there, and a call that does not return, as it was', async () => {
    await load(
      {
        id: 'n1',
        type: 'link call',
        linkType: 'dynamic',
        links: [],
        timeout: '0.02',
        ...at,
        wires: [['out']],
      },
      { id: 'silent', type: 'link in', name: 'silent', ...at, wires: [['set']] },
      {
        id: 'set',
        type: 'change',
        rules: [{ t: 'set', p: 'payload', pt: 'msg', to: 'changed', tot: 'str' }],
        ...at,
        wires: [[]],
      },
      { id: 'c', type: 'catch', scope: ['n1'], ...at, wires: [['caught']] },
      out('caught'),
      out('out'),
    );
    const [missing, late] = await give(
      'n1',
      [{ target: 'none' }, { target: 'silent', payload: 1 }],
      'caught',
    );
    expect(missing?.['error'].message).toContain("'none' not found");
    expect(late).toMatchObject({ payload: 1, error: { message: 'timeout' } });
  });

  it('passes on a message that comes back when nobody waits for it any more', async () => {
    await load(
      ...called,
      { id: 'n1', type: 'link call', links: ['in'], ...at, wires: [['out']] },
      out('out'),
    );
    const answer = received('out');
    helper.getNode('back').receive({ payload: 7, _linkSource: [{ id: 'unknown', node: 'n1' }] });
    expect(payloads(await answer)).toEqual([7]);
  });
});

describe('link out', () => {
  it('sends on over its links, and warns where there is nobody to return to', async () => {
    await load(
      { id: 'a', type: 'link out', mode: 'link', links: ['b'], ...at, wires: [['b']] },
      { id: 'b', type: 'link in', links: ['a'], ...at, wires: [['out']] },
      { id: 'r', type: 'link out', mode: 'return', ...at, wires: [] },
      out('out'),
    );
    expect(await give('a', [{ payload: 1 }])).toMatchObject([{ payload: 1, _event: 'node:a' }]);
    helper.getNode('r').receive({ payload: 2 });
    helper.getNode('r').receive({ payload: 2, _linkSource: [{ id: 'x', node: 'gone' }] });
    expect(logged(30)).toEqual(['link.errors.missingReturn', 'link.errors.missingReturn']);
  });
});
