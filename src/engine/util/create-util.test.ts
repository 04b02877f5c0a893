import { describe, expect, it } from 'vitest';
import { createUtil } from './create-util.ts';

const util = createUtil({ cloneMessage: (message) => structuredClone(message) });

describe('RED.util', () => {
  it('has the members that node modules know, and takes more', () => {
    expect(Object.keys(util).sort()).toEqual([
      'cloneMessage',
      'compareObjects',
      'encodeObject',
      'ensureBuffer',
      'ensureString',
      'evaluateJSONataExpression',
      'evaluateNodeProperty',
      'generateId',
      'getMessageProperty',
      'getObjectProperty',
      'getSetting',
      'normaliseNodeTypeName',
      'normalisePropertyExpression',
      'parseContextStore',
      'prepareJSONataExpression',
      'setMessageProperty',
      'setObjectProperty',
    ]);
    expect(Object.isExtensible(util)).toBe(true);
  });

  it('generates ids of 16 hexadecimal digits, each once', () => {
    const ids = new Set(Array.from({ length: 5000 }, () => util.generateId()));
    expect(ids.size).toBe(5000);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{16}$/);
  });

  it('makes text and bytes of anything', () => {
    expect(util.ensureString(Buffer.from('hé'))).toBe('hé');
    expect(util.ensureString({ a: 1 })).toBe('{"a":1}');
    expect(util.ensureString(null)).toBe('null');
    expect(util.ensureString(undefined)).toBe('undefined');
    expect(util.ensureString(5)).toBe('5');
    const buffer = Buffer.from([1, 2]);
    expect(util.ensureBuffer(buffer)).toBe(buffer);
    expect(util.ensureBuffer({ a: 1 })).toEqual(Buffer.from('{"a":1}'));
    expect(util.ensureBuffer(true)).toEqual(Buffer.from('true'));
  });

  it('compares by members', () => {
    expect(
      util.compareObjects({ a: [1, { b: Buffer.from('x') }] }, { a: [1, { b: Buffer.from('x') }] }),
    ).toBe(true);
    expect(util.compareObjects({ a: 1, b: 2 }, { b: 2, a: 1 })).toBe(true);
    expect(util.compareObjects({ a: 1 }, { a: 1, b: undefined })).toBe(false);
    expect(util.compareObjects([1, 2], [2, 1])).toBe(false);
    expect(util.compareObjects([], {})).toBe(false);
    expect(util.compareObjects('1', 1)).toBe(false);
    expect(util.compareObjects(null, undefined)).toBe(false);
    expect(util.compareObjects(Buffer.from('a'), Buffer.from('b'))).toBe(false);
  });

  it('writes type names in camel case', () => {
    expect(util.normaliseNodeTypeName('a-random node')).toBe('aRandomNode');
    expect(util.normaliseNodeTypeName(' MQTT in ')).toBe('mQTTIn');
    expect(util.normaliseNodeTypeName('1:2')).toBe('12');
  });

  it('takes apart context keys with a store', () => {
    expect(util.parseContextStore('#:(file)::a.b')).toEqual({ store: 'file', key: 'a.b' });
    expect(util.parseContextStore('a.b')).toEqual({ key: 'a.b' });
    expect(util.parseContextStore('#:file::a')).toEqual({ key: '#:file::a' });
  });
});
