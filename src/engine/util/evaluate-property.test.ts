import { afterEach, describe, expect, it, vi } from 'vitest';
import { createUtil } from './create-util.ts';
import type { JsonataNode } from './jsonata.ts';

const util = createUtil({ cloneMessage: (message) => structuredClone(message) });
const evaluate = util.evaluateNodeProperty;

afterEach(() => vi.unstubAllEnvs());

/** A node whose contexts answer with what they were asked. */
function node(more: object = {}): JsonataNode {
  const context = (scope: string) => ({
    get(key: unknown, store: unknown, callback?: (error: unknown, value?: unknown) => void) {
      const value = `${scope} ${key} ${store}`;
      return callback ? callback(null, value) : value;
    },
  });
  const contexts = { flow: context('flow'), global: context('global') };
  return { id: 'n1', name: 'my node', _path: 't1/n1', context: () => contexts, ...more };
}

const flow = {
  getSetting: (name: string) => ({ NUMBER: 5, NOTHING: undefined, WHO: 'Joe' })[name],
  getGroupNode: (id: string) => (id === 'g1' ? { getSetting: () => 'of the group' } : undefined),
};

describe('evaluateNodeProperty', () => {
  it.each([
    ['5', 'str', '5'],
    ['5', 'num', 5],
    ['True', 'bool', true],
    ['yes', 'bool', false],
    ['{"a":[1]}', 'json', { a: [1] }],
    ['a+', 're', /a+/],
    ['[1,2]', 'bin', Buffer.from([1, 2])],
    ['"hi"', 'bin', Buffer.from('hi')],
    ['x', 'unheard of', 'x'],
  ])('takes %j of type %s for %o', (value, type, result) => {
    expect(evaluate(value, type)).toEqual(result);
    let given: unknown;
    expect(
      evaluate(value, type, undefined, undefined, (error, found) => {
        given = [error, found];
      }),
    ).toBeUndefined();
    expect(given).toEqual([null, result]);
  });

  it('throws for text that it can not read', () => {
    expect(() => evaluate('{', 'json')).toThrow(SyntaxError);
    expect(() => evaluate('{', 'json', null, {}, () => {})).toThrow(SyntaxError);
    expect(() => evaluate('5', 'bin')).toThrow(expect.objectContaining({ code: 'INVALID_BUFFER_DATA' }));
  });

  it('gives the time', () => {
    expect(evaluate('', 'date')).toEqual(expect.any(Number));
    expect(evaluate('object', 'date')).toBeInstanceOf(Date);
    expect(evaluate('iso', 'date')).toMatch(/^\d{4}-\d\d-\d\dT.*Z$/);
    expect(evaluate('YYYY', 'date')).toMatch(/^\d{4}$/);
  });

  it('reads the message, and hands over the error where it can', () => {
    expect(evaluate('payload.a', 'msg', null, { payload: { a: 1 } })).toBe(1);
    expect(evaluate('payload', 'msg')).toBe('payload');
    expect(() => evaluate('a.b', 'msg', null, {})).toThrow(TypeError);
    let failed: unknown;
    evaluate('a.b', 'msg', null, {}, (error) => {
      failed = error;
    });
    expect(failed).toBeInstanceOf(TypeError);
  });

  it('reads context, of a named store and with references to the message', () => {
    expect(evaluate('a.b', 'flow', node(), {})).toBe('flow a.b undefined');
    expect(evaluate('#:(file)::a[msg.k]', 'global', node(), { k: 'x' })).toBe('global a["x"] file');
    expect(evaluate('a', 'flow', null, {})).toBe('a');
    let given: unknown;
    evaluate('a', 'flow', node(), {}, (_, value) => {
      given = value;
    });
    expect(given).toBe('flow a undefined');
  });

  it('reads the environment: special names, group, flow, process', () => {
    vi.stubEnv('SLUICE_TEST_WHO', 'Ann');
    const inFlow = Object.defineProperty(node(), '_flow', { value: flow });
    const inGroup = Object.defineProperty(node({ g: 'g1' }), '_flow', { value: flow });
    expect(evaluate('NR_NODE_NAME', 'env', inFlow)).toBe('my node');
    // biome-ignore-start lint/suspicious/noTemplateCurlyInString: the syntax of the editor
    expect(evaluate('${NR_NODE_ID}-${NR_NODE_PATH}', 'env', inFlow)).toBe('n1-t1/n1');
    expect(evaluate('NUMBER', 'env', inFlow)).toBe(5);
    expect(evaluate('${NUMBER}', 'env', inFlow)).toBe(5);
    expect(evaluate('Hi ${WHO}${NOTHING}!', 'env', inFlow)).toBe('Hi Joe!');
    expect(evaluate('${SLUICE_TEST_WHO}', 'env')).toBe('Ann');
    // biome-ignore-end lint/suspicious/noTemplateCurlyInString: the syntax of the editor
    expect(evaluate('NOTHING', 'env', inFlow)).toBe('');
    expect(evaluate('WHO', 'env', inGroup)).toBe('of the group');
    expect(util.getSetting(inFlow, 'WHO')).toBe('Joe');
    expect(util.getSetting(node({ g: 'gone' }), 'WHO', flow)).toBe('Joe');
  });

  it('evaluates JSONata for a callback only', async () => {
    const result = await new Promise((resolve) =>
      evaluate('payload + 1', 'jsonata', node(), { payload: 1 }, (error, value) => resolve([error, value])),
    );
    expect(result).toEqual([null, 2]);
    expect(() => evaluate('payload', 'jsonata', node(), {})).toThrow('must include a callback');
  });
});
