import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { readTypeOptions, TypeRegistry } from './type-registry.ts';

class Base extends EventEmitter {}
const acme = { id: 'acme/one', module: 'acme' };
const other = { id: 'other/one', module: 'other' };

function open() {
  const arrived: string[] = [];
  const types = new TypeRegistry({ base: Base, onRegistered: (type) => arrived.push(type) });
  return { types, arrived };
}

describe('TypeRegistry', () => {
  it('registers a type, makes it inherit the base, and tells', () => {
    const { types, arrived } = open();
    class Thing {}
    types.register(acme, 'thing', Thing, readTypeOptions({ credentials: { key: { type: 'password' } } }));
    expect(types.get('thing')).toMatchObject({ is: 'class', nodeClass: Thing, set: acme });
    expect(Thing.prototype).toBeInstanceOf(Base);
    expect(types.credentialFields('thing')).toEqual({ key: { type: 'password' } });
    expect(arrived).toEqual(['thing']);
  });

  it('refuses a type that another module has, naming both, and keeps the first', () => {
    const { types } = open();
    class First {}
    types.register(acme, 'thing', First);
    expect(() => types.register(other, 'thing', class {})).toThrow(
      expect.objectContaining({
        code: 'type_already_registered',
        detail: "The type 'thing' of other is already registered by acme",
      }),
    );
    expect(() => types.register(acme, 'thing', class {})).toThrow('registered twice by acme/one');
    expect(types.get('thing')).toMatchObject({ nodeClass: First });
  });

  it('knows nothing of names that every object has', () => {
    const { types } = open();
    expect(types.get('constructor')).toBeUndefined();
    types.register(acme, 'constructor', class {});
    expect(types.get('constructor')).toBeDefined();
  });

  it('hides the types of a disabled set and tells of them again when it is enabled', () => {
    const { types, arrived } = open();
    types.register(acme, 'a', class {});
    types.register(acme, 'b', class {});
    types.setEnabled('acme/one', false);
    expect(types.get('a')).toBeUndefined();
    types.setEnabled('acme/one', true);
    types.setEnabled('acme/one', true);
    expect(types.get('a')).toBeDefined();
    expect(arrived).toEqual(['a', 'b', 'a', 'b']);
  });

  it('forgets the types of a set, so that they can be registered anew', () => {
    const { types } = open();
    types.register(acme, 'a', class {});
    types.unregister('acme/one');
    expect(types.get('a')).toBeUndefined();
    types.register(other, 'a', class {});
    expect(types.get('a')?.set).toBe(other);
  });

  it('registers a subflow as a type, with its secrets and its part of the editor', () => {
    const { types, arrived } = open();
    types.registerSubflow(acme, {
      id: 's1',
      type: 'subflow',
      name: 'My </script> flow',
      in: [{}],
      out: [{}, {}],
      env: [
        { name: 'key', type: 'cred' },
        { name: 'count', type: 'num', value: '5' },
        { name: 'data', type: 'json', value: '{}' },
      ],
      flow: [{ id: 'n1', type: 'change' }],
    });
    expect(arrived).toEqual(['sf:s1']);
    expect(types.credentialFields('sf:s1')).toEqual({ key: { type: 'password' } });
    const entry = types.get('sf:s1');
    if (entry?.is !== 'subflow') throw new Error('not a subflow');
    expect(entry.subflow.flow).toEqual([{ id: 'n1', type: 'change' }]);
    const { template } = entry.subflow;
    expect(template).toContain('data-template-name="sf:s1"');
    expect(template).toContain('"inputs":1,"outputs":2');
    expect(template).toContain('"count":{"value":5,"ui":{}}');
    expect(template).toContain('"data":{"value":{"type":"json","value":"{}"},"ui":{}}');
    // Nothing of the definition may end the script early.
    expect(template.match(/<\/script/g)).toHaveLength(2);
  });

  it('takes the name that a subflow gives itself', () => {
    const { types } = open();
    types.registerSubflow(acme, { id: 's1', meta: { type: 'nicer' } });
    expect(types.get('nicer')).toMatchObject({ is: 'subflow' });
    expect(() => types.registerSubflow(other, { id: 's2', meta: { type: 'nicer' } })).toThrow(
      'already registered by acme',
    );
    expect(() => types.registerSubflow(acme, undefined)).toThrow('needs the definition of a subflow');
  });
});

describe('readTypeOptions', () => {
  it('reads what modules write', () => {
    expect(
      readTypeOptions({
        credentials: { a: { type: 'text' }, b: { type: 'password' }, c: {} },
        dynamicModuleList: 'libs',
        settings: {},
      }),
    ).toEqual({
      credentials: { a: { type: 'text' }, b: { type: 'password' }, c: { type: 'text' } },
      dynamicModuleList: 'libs',
    });
    expect(readTypeOptions(undefined)).toEqual({});
  });
});
