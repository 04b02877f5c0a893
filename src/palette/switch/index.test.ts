import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { flowOf, give, logged, type Message, received } from '../../../test/support/core-node.ts';
import { memberInBoth, type NodeCase, playBoth } from '../../../test/support/played-node.ts';
import helper, { palette } from '../../testing/index.ts';

const sameAsPublished = async (cases: readonly NodeCase[], calmMs?: number) => {
  const { ours, theirs } = await playBoth('function/10-switch', 'switch', cases, calmMs);
  expect(ours).toEqual(theirs);
  return ours;
};

const values: readonly unknown[] = [
  0,
  5,
  -1,
  1.5,
  '5',
  '',
  'hello',
  'Hello',
  'true',
  true,
  false,
  null,
  undefined,
  [],
  [1],
  {},
  { k: 1 },
  { a: { k: 2 } },
  '{"a":1}',
  Buffer.from('hello'),
  Buffer.alloc(0),
  new Date(0),
  Number.NaN,
];
const value = fc.oneof(
  fc.tuple(fc.constantFrom('5', 'hello', '', 'h', 'k', '^h', '(', 'object', 'string'), fc.constant('str')),
  fc.tuple(fc.constantFrom('5', '1', '0', 'x', '-1'), fc.constant('num')),
  fc.tuple(fc.constantFrom('topic', 'none.deep', 'payload'), fc.constantFrom('msg', 'flow', 'global')),
  fc.tuple(fc.constantFrom('payload', 'payload = 5', '$error("x")', '$I = 0'), fc.constant('jsonata')),
  fc.tuple(fc.constant('E'), fc.constant('env')),
  fc.constant(['', 'prev'] as const),
);
const typed = fc.oneof(
  value,
  fc
    .constantFrom('array', 'buffer', 'json', 'null', 'number', 'undefined', 'object')
    .map((t) => [t, t] as const),
);
const names =
  `eq neq lt lte gt gte btwn cont regex true false null nnull empty nempty istype hask jsonata_exp else
  head tail index`.split(/\s+/);
const rule = fc
  .record({
    t: fc.constantFrom(...names.filter((name) => name !== 'tail')),
    first: typed,
    second: value,
    ignore: fc.boolean(),
  })
  .map(({ t, first: [v, vt], second: [v2, v2t], ignore }) => ({
    t,
    v,
    vt,
    ...(t === 'btwn' || t === 'index' ? { v2, v2t } : {}),
    case: ignore,
  }));
const property = fc.constantFrom(
  { property: 'payload', propertyType: 'msg' },
  { property: 'payload' },
  { property: 'none.deep', propertyType: 'msg' },
  { property: 'payload & ""', propertyType: 'jsonata' },
  { property: '$error("x")', propertyType: 'jsonata' },
  { property: 'E', propertyType: 'env' },
  { property: 'x', propertyType: 'flow' },
);
const node = fc
  .record({
    property,
    rules: fc.array(rule, { minLength: 1, maxLength: 4 }),
    checkall: fc.constantFrom('true', 'false', ''),
    parts: fc.boolean(),
  })
  .map(
    ({ property, rules, checkall, parts }): NodeCase => ({
      config: { ...property, rules, checkall },
      outputs: rules.length,
      messages: values.map((payload, index) => ({
        payload,
        topic: '5',
        ...(parts ? { parts: { id: 's', index, count: values.length } } : {}),
      })),
    }),
  );

describe('switch does as the published node does', () => {
  it('with any rules', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(node, { minLength: 6, maxLength: 6 }), async (cases) => {
        await sameAsPublished(cases, 60);
      }),
      { numRuns: 15 },
    );
  });

  it('with rules of older versions, none, and wrong expressions', async () => {
    const messages = [5, '5', 'a', 7].map((payload) => ({ payload }));
    const rulesOf = (rules: readonly Message[], more: Message = {}): NodeCase => ({
      config: { property: 'payload', rules, ...more },
      outputs: Math.max(1, rules.length),
      messages,
    });
    const deeds = await sameAsPublished(
      [
        rulesOf([
          { t: 'eq', v: '5' },
          { t: 'eq', v: 'a' },
          { t: 'btwn', v: '1', v2: '6' },
        ]),
        rulesOf([]),
        rulesOf([{ t: 'eq', v: '$(', vt: 'jsonata' }]),
        rulesOf([{ t: 'btwn', v: '1', vt: 'num', v2: '$(', v2t: 'jsonata' }]),
        rulesOf([{ t: 'true' }], { property: '$(', propertyType: 'jsonata' }),
      ],
      30,
    );
    expect(deeds[0]?.length).toBeGreaterThan(4);
  });

  it('in the rules that others see', async () => {
    const rules = [{ t: 'eq', v: '5' }, { t: 'eq', v: 'a' }, { t: 'btwn', v: '1', v2: '6' }, { t: 'else' }];
    const { ours, theirs } = await memberInBoth('function/10-switch', 'switch', { rules }, 'rules');
    expect(ours).toStrictEqual(theirs);
  });

  it('with sequences: the last ones, and repaired ones', async () => {
    const part = (index: number, more: object = {}) => ({
      payload: index,
      parts: { id: 'sequence', type: 'array', index, ...more },
    });
    const sequence = [part(0), part(1), part(2), part(3, { count: 4 })];
    const small = { t: 'lt', v: '2', vt: 'num' };
    const large = { t: 'gte', v: '1', vt: 'num' };
    const deeds = await sameAsPublished(
      [
        { config: { property: 'payload', rules: [{ t: 'tail', v: '2', vt: 'num' }] }, messages: sequence },
        {
          config: { property: 'payload', rules: [small, large], repair: true },
          outputs: 2,
          messages: [...sequence, { payload: 9 }],
        },
        { config: { property: 'payload', rules: [small], repair: true }, messages: sequence.slice(0, 3) },
      ],
      50,
    );
    expect(deeds.map(({ length }) => length)).toEqual([2, 6, 0]);
  });
});

describe('switch', () => {
  afterEach(async () => {
    await helper.unload();
    helper.settings({});
  });
  const set = palette['@node-red/nodes/core/function/10-switch.js'] as (RED: unknown) => unknown;
  const part = (index: number, count = 3) => ({ payload: index, parts: { id: 's', index, count } });

  it('numbers repaired sequences by what each output is sent, also where the first match ends the search', async () => {
    const rules = [{ t: 'eq', v: '2', vt: 'num' }, { t: 'else' }];
    await helper.load(
      set,
      flowOf('switch', { property: 'payload', rules, repair: true, checkall: 'false' }, 2),
    );
    const first = received('out');
    const others = await give('n1', [part(0), part(1), part(2)], 'out2', 2);
    expect((await first)[0]?.['parts']).toMatchObject({ index: 0, count: 1 });
    expect(others.map(({ parts }) => [parts.index, parts.count])).toEqual([
      [0, 2],
      [1, 2],
    ]);
  });

  it('reports a value that is no JSON with each message', async () => {
    const rules = [{ t: 'btwn', v: '1', vt: 'num', v2: '{', v2t: 'json' }];
    await helper.load(set, flowOf('switch', { property: 'payload', rules }));
    for (const payload of [1, 2]) helper.getNode('n1').receive({ payload });
    expect(logged(20).map(String)).toEqual([
      expect.stringMatching('^SyntaxError'),
      expect.stringMatching('^SyntaxError'),
    ]);
  });

  it('drops what it holds back where that is too much', async () => {
    helper.settings({ nodeMessageBufferMaxLength: 2 });
    await helper.load(
      set,
      flowOf('switch', { property: 'payload', rules: [{ t: 'tail', v: '1', vt: 'num' }] }),
    );
    for (const index of [0, 1, 2]) helper.getNode('n1').receive(part(index, 4));
    expect(logged(20)).toEqual(['switch.errors.too-many']);
  });

  it('drops it by a limit that came after the node', async () => {
    await helper.load(
      set,
      flowOf('switch', { property: 'payload', rules: [{ t: 'tail', v: '1', vt: 'num' }] }),
    );
    helper.settings()['nodeMessageBufferMaxLength'] = 2;
    for (const index of [0, 1, 2]) helper.getNode('n1').receive(part(index, 4));
    expect(logged(20)).toEqual(['switch.errors.too-many']);
  });
});
