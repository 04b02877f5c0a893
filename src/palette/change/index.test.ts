import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Message } from '../../../test/support/core-node.ts';
import { memberInBoth, type NodeCase, playBoth } from '../../../test/support/played-node.ts';

const sameAsPublished = async (cases: readonly NodeCase[]) => {
  const { ours, theirs } = await playBoth('function/15-change', 'change', cases, 10);
  expect(ours).toEqual(theirs);
  return ours;
};

const message = (): Message => ({
  payload: { a: 'one two one', n: 5, t: true, list: [1, 2, { x: 'y' }], nothing: null },
  topic: 'a',
  text: 'a.b+a.b',
  number: 7,
  flag: false,
  key: 'n',
});

const places = fc.constantFrom(
  'payload',
  'payload.a',
  'payload.n',
  'payload.t',
  'payload.list[1]',
  'payload.list[2].x',
  'payload[msg.key]',
  'payload.none.deep',
  'topic',
  'text',
  'number',
  'flag',
  'new.made[1].here',
  'topic.below',
);
const kinds = fc.constantFrom('msg', 'flow', 'global');
const typed = fc.oneof(
  fc.tuple(fc.constantFrom('a', 'true', 'one', '', '$&!'), fc.constant('str')),
  fc.tuple(fc.constantFrom('5', '7', 'x'), fc.constant('num')),
  fc.tuple(fc.constantFrom('true', 'false'), fc.constant('bool')),
  fc.tuple(fc.constantFrom('{"j":[1]}', '"text"'), fc.constant('json')),
  fc.tuple(fc.constantFrom('[1,2]', '"ab"'), fc.constant('bin')),
  fc.tuple(fc.constantFrom('E', `\${E}-x`, 'NO_SUCH_NAME'), fc.constant('env')),
  fc.tuple(
    fc.constantFrom('topic & "!"', 'payload.n + 1', '$error("no")', 'msg.topic'),
    fc.constant('jsonata'),
  ),
  fc.tuple(places, kinds),
);
const wanted = fc.oneof(
  fc.tuple(fc.constantFrom('one', 'a', 'a.b', 'true', '.'), fc.constant('str')),
  fc.tuple(fc.constantFrom('o.e', '^', '(a)'), fc.constant('re')),
  fc.tuple(fc.constantFrom('5', '7'), fc.constant('num')),
  fc.tuple(fc.constantFrom('true', 'false'), fc.constant('bool')),
  fc.tuple(places, kinds),
);
const rule = fc.oneof(
  fc
    .record({ p: places, pt: kinds, to: typed, dc: fc.boolean() })
    .map(({ to: [to, tot], ...rest }) => ({ t: 'set', to, tot, ...rest })),
  fc
    .record({ p: places, pt: kinds, from: wanted, to: typed })
    // With JSONata, what cannot be looked for is taken for an error of the expression by the published node.
    .filter(({ from, to }) => to[1] !== 'jsonata' || !['msg', 'flow', 'global'].includes(from[1]))
    .map(({ from: [from, fromt], to: [to, tot], ...rest }) => ({
      t: 'change',
      from,
      fromt,
      to,
      tot,
      ...rest,
    })),
  fc.record({ p: places, pt: kinds }).map((rest) => ({ t: 'delete', ...rest })),
  fc.record({ p: places, pt: kinds, to: places, tot: kinds }).map((rest) => ({ t: 'move', ...rest })),
);

describe('change does as the published node does', () => {
  it('with any rules', async () => {
    // One node at a time: nodes of a tab share its context.
    await fc.assert(
      fc.asyncProperty(fc.array(rule, { minLength: 1, maxLength: 4 }), async (rules) => {
        await sameAsPublished([{ config: { rules }, messages: [message(), { ...message(), topic: 5 }] }]);
      }),
      { numRuns: 150 },
    );
  });

  it('with what older versions stored, and with rules that are wrong', async () => {
    const messages = [message(), {}];
    const configs = [
      { action: 'replace', property: 'topic', to: 'msg.text' },
      { action: 'set', property: 'topic', to: 'x' },
      { action: 'delete', property: 'topic' },
      { action: 'change', property: 'text', from: 'a.', to: 'z', reg: false },
      { action: 'change', property: 'text', from: 'a.', to: 'z', reg: null },
      { action: 'move', property: 'topic', to: 'moved' },
      { action: 'move', property: '', to: 'moved' },
      { rules: [{ t: 'set', p: 'topic', to: 'msg.number' }] },
      { rules: [{ t: 'change', p: 'text', from: '(', to: 'x', re: true }] },
      { rules: [{ t: 'change', p: 'text', from: '[', fromt: 're', to: 'x', tot: 'str' }] },
      { rules: [{ t: 'set', p: 'topic', pt: 'msg', to: '{', tot: 'json' }] },
      { rules: [{ t: 'set', p: 'topic', pt: 'msg', to: '$(', tot: 'jsonata' }] },
      { rules: [{ t: 'set', p: 'topic', pt: 'elsewhere', to: 'x', tot: 'str' }] },
      { rules: [] },
      { rules: [{ t: 'set', p: 'number.x', pt: 'msg', to: 'x', tot: 'str' }] },
      { rules: [{ t: 'move', p: 'payload.list', pt: 'msg', to: 'payload', tot: 'msg' }] },
      { rules: [{ t: 'move', p: 'payload', pt: 'msg', to: 'payload.list', tot: 'msg' }] },
    ];
    const deeds = await sameAsPublished(configs.map((config) => ({ config, messages })));
    expect(deeds.flat().length).toBeGreaterThan(20);
  });

  it('in the rules that others see', async () => {
    const configs: readonly Message[] = [
      {},
      { action: 'replace' },
      { action: 'change' },
      { action: 'delete', property: 'topic' },
      { action: 'replace', property: 'topic', to: 'msg.text' },
      { action: 'change', property: 'topic', from: 'a(b)', to: 'c', reg: true },
      { rules: [{ t: 'set', p: 'payload', to: '5', tot: 'num' }] },
      { rules: [{ t: 'change', p: 'payload', from: 'x', to: 'true', tot: 'bool', dc: true }] },
    ];
    for (const config of configs) {
      const { ours, theirs } = await memberInBoth('function/15-change', 'change', config, 'rules');
      expect(ours).toStrictEqual(theirs);
    }
  });

  it('with dates', async () => {
    const date = (to: string) => ({ rules: [{ t: 'set', p: 'd', pt: 'msg', to, tot: 'date' }] });
    const { ours } = await playBoth('function/15-change', 'change', [
      { config: date('iso'), messages: [{}] },
    ]);
    expect(ours[0]?.[0]).toMatch(/d: '\d{4}-\d\d-\d\dT/);
  });
});
