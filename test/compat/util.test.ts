// biome-ignore-all lint/suspicious/noTemplateCurlyInString: env properties are written so
import fc from 'fast-check';
import { describe, it } from 'vitest';
import { cloneMessage } from '../../src/engine/messaging/clone.ts';
import { createUtil } from '../../src/engine/util/create-util.ts';
import { awkwardValues } from '../support/awkward-values.ts';
import { expectSame, outcomeOf, requirePeer } from '../support/peer-util.ts';

const peer = requirePeer('@node-red/util').util;
const ours: typeof peer = createUtil({ cloneMessage });
const numRuns = 2000;

/** Both are called with the same; what they give or throw, and what they change, must be the same. */
function alike(call: (util: typeof peer) => unknown, adapt = (outcome: unknown) => outcome): void {
  expectSame(adapt(outcomeOf(() => call(ours))), adapt(outcomeOf(() => call(peer))));
}

const text = (parts: readonly string[], maxLength = 8) =>
  fc.array(fc.constantFrom(...parts), { maxLength }).map((chosen) => chosen.join(''));
const steps = [
  'a',
  'b',
  'msg',
  'msg.a',
  '.',
  '[',
  ']',
  '"',
  "'",
  '0',
  '12',
  ' ',
  '$',
  '-',
  '[0]',
  '["a"]',
  '.b',
  'é',
];
const plainExpression = text(steps);
const expression = text([...steps, '[msg.a]', '[msg.b.c]', 'msg["a"]']);
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom('a', 'b', 'xy', 1, 0, null, undefined, true),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.record({ a: tie('value'), b: tie('value'), c: tie('value') }, { requiredKeys: [] }),
  ),
}));
const message = fc.record({ a: value, b: value, msg: value }, { requiredKeys: [] });

/** With two faults in one expression, it is not always the same one that is named. */
const anyFault = (outcome: unknown): unknown =>
  JSON.stringify(outcome)?.includes('INVALID_EXPR') ? 'INVALID_EXPR' : outcome;

describe('property expressions, as the peer takes them', () => {
  it('are parsed alike, faults named alike', () => {
    fc.assert(
      fc.property(plainExpression, fc.option(message), fc.boolean(), (text, msg, asText) =>
        alike((util) => util.normalisePropertyExpression(text, msg ?? undefined, asText)),
      ),
      { numRuns },
    );
  });

  it('with references are parsed alike', () => {
    fc.assert(
      fc.property(expression, fc.option(message), fc.boolean(), (text, msg, asText) =>
        alike((util) => util.normalisePropertyExpression(text, msg ?? undefined, asText), anyFault),
      ),
      { numRuns },
    );
  });

  it('read alike', () => {
    fc.assert(
      fc.property(expression, message, (text, msg) => {
        alike((util) => util.getObjectProperty(msg, text), anyFault);
        alike((util) => util.getMessageProperty(msg, text), anyFault);
      }),
      { numRuns },
    );
  });

  it('set and delete alike', () => {
    const create = fc.constantFrom(undefined, true, false);
    fc.assert(
      fc.property(expression, message, value, create, (text, msg, set, createMissing) => {
        for (const name of ['setObjectProperty', 'setMessageProperty']) {
          alike((util) => {
            const changed = structuredClone(msg);
            return [util[name](changed, text, set, createMissing), changed];
          }, anyFault);
        }
      }),
      { numRuns },
    );
  });
});

const anything = fc.oneof(
  fc.anything({
    withBigInt: true,
    withBoxedValues: true,
    withDate: true,
    withMap: true,
    withNullPrototype: true,
    withSet: true,
    withSparseArray: true,
    withTypedArray: true,
  }),
  fc.constantFrom(...awkwardValues()),
);

describe('values, as the peer shows and compares them', () => {
  it('are encoded alike', () => {
    const nested = fc.oneof(
      anything,
      fc.array(anything, { maxLength: 3 }),
      fc.dictionary(fc.constantFrom('a', '_req', 'length', 'toJSON'), anything, { maxKeys: 3 }),
    );
    // Stacks name the functions that they pass through.
    const withoutStacks = (encoded: unknown) =>
      JSON.stringify(encoded).replace(/\\"stack\\":\\"(?:[^"\\]|\\(?!")[\s\S])*\\"/g, 'stack');
    fc.assert(
      fc.property(nested, fc.constantFrom(undefined, 0, 1, 5, 25, 1000), (msg, maxLength) =>
        alike((util) => {
          const options = maxLength === undefined ? undefined : { maxLength };
          return withoutStacks(util.encodeObject({ msg, id: 'n1' }, options));
        }),
      ),
      { numRuns },
    );
  });

  it('are compared alike', () => {
    fc.assert(
      fc.property(anything, anything, (one, other) => {
        alike((util) => util.compareObjects(one, other));
        alike((util) => util.compareObjects(one, one));
      }),
      { numRuns },
    );
  });

  it('become text and bytes alike', () => {
    fc.assert(
      fc.property(anything, (one) => {
        alike((util) => util.ensureString(one));
        alike((util) => util.ensureBuffer(one));
      }),
      { numRuns },
    );
  });

  it('are named alike', () => {
    fc.assert(
      fc.property(text(['a', 'B', ' ', '-', '1', '_', 'é']), (name) =>
        alike((util) => util.normaliseNodeTypeName(name)),
      ),
      { numRuns },
    );
    fc.assert(
      fc.property(text(['#', ':', '(', ')', '::', 'a', ' ', '#:(', ')::', '\n']), (key) =>
        alike((util) => util.parseContextStore(key)),
      ),
      { numRuns },
    );
  });
});

/** Nodes without and with a flow, in a group, in a group that is not there; and no node. */
function nodes(): unknown[] {
  const context = (scope: string) => ({
    get(key: string, store: string, done?: (error: unknown, value: unknown) => void) {
      const answer = `${scope} ${key} ${store}`;
      return done ? done(null, answer) : answer;
    },
  });
  const own = { id: 'n1', name: 'my node', _path: 't1/n1', context: () => contexts };
  const contexts = { flow: context('flow'), global: context('global') };
  const values: { [name: string]: unknown } = { NUM: 5, NULL: null, WHO: 'Joe' };
  const flow = {
    getSetting: (name: string) => values[name],
    getGroupNode: (id: string) =>
      id === 'g1' ? { getSetting: (name: string) => `${name} of g1` } : undefined,
  };
  const inFlow = (more: object) => Object.defineProperty({ ...own, ...more }, '_flow', { value: flow });
  return [own, inFlow({}), inFlow({ g: 'g1' }), inFlow({ g: 'gone' }), undefined, null];
}

describe('typed values, as the peer evaluates them', () => {
  const node = fc.constantFrom(...nodes());
  const env = text(
    [
      '${WHO}',
      '${NUM}',
      '${NONE}',
      '${NULL}',
      'WHO',
      'NUM',
      '${',
      '}',
      'x',
      ' ',
      'NR_NODE_ID',
      '${NR_NODE_NAME}',
    ],
    3,
  );
  const written = fc.oneof(
    expression,
    env,
    fc.json(),
    fc.string(),
    fc.constantFrom<unknown>(
      '',
      'TRUE',
      '[1,2]',
      '"ab"',
      '#:(file)::foo[msg.a]',
      'x[msg.a].b',
      null,
      5,
      true,
    ),
  );

  it('are evaluated alike, with a callback and without', () => {
    const types = fc.constantFrom(
      'str',
      'num',
      'bool',
      'json',
      're',
      'bin',
      'msg',
      'flow',
      'global',
      'env',
      'other',
    );
    fc.assert(
      fc.property(written, types, node, fc.option(message), fc.boolean(), (value, type, of, msg, later) =>
        alike((util) => {
          const calls: unknown[] = [];
          const done = (error: Error & { code?: string }, result: unknown) =>
            void calls.push([error && (error.code ?? error.constructor.name), result]);
          return [
            util.evaluateNodeProperty(value, type, of, msg ?? undefined, later ? done : undefined),
            calls,
          ];
        }, anyFault),
      ),
      { numRuns },
    );
  });

  it('find settings alike', () => {
    const name = fc.constantFrom(
      'WHO',
      'NUM',
      'NULL',
      'NONE',
      'PATH',
      'NR_NODE_ID',
      'NR_NODE_NAME',
      'NR_NODE_PATH',
    );
    fc.assert(
      fc.property(name, node, (one, of) => alike((util) => util.getSetting(of, one))),
      { numRuns: 200 },
    );
  });
});
