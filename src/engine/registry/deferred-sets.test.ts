import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import https from 'node:https';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findCorePackage } from '../../modules/core.ts';
import { DeferredSets, deferredSets } from './deferred-sets.ts';
import { TypeRegistry } from './type-registry.ts';

const core = join(findCorePackage().path, 'core');
const set = { id: 'node-red/some', module: 'node-red' };
class Base {
  on() {}
}
const registry = () => new TypeRegistry({ base: Base, onRegistered() {} });

/** A `RED` that notes what a set touches while it is loaded, besides reading settings and registering types. */
function watchful(name = 'RED', touched: string[] = [], registered: [string, unknown][] = []) {
  const harmless = new Set(['RED.settings', 'RED.util', 'RED.nodes', 'RED.nodes.registerType']);
  const red: object = new Proxy(() => undefined, {
    get(_, key) {
      const path = `${name}.${String(key)}`;
      if (path === 'RED.nodes.registerType') {
        return (type: string, _class: unknown, options: unknown = {}) => registered.push([type, options]);
      }
      if (!harmless.has(path) && !path.startsWith('RED.settings.')) touched.push(path);
      if (path.startsWith('RED.settings.')) return undefined;
      return watchful(path, touched, registered).red;
    },
    set(_, key) {
      touched.push(`${name}.${String(key)} =`);
      return true;
    },
  });
  return { red, touched, registered };
}

describe.each(Object.entries(deferredSets))('the core set %s', (name, types) => {
  it('does nothing while it is loaded but register these types', async () => {
    const { red, touched, registered } = watchful();
    const file = join(core, name);
    await createRequire(file)(file)(red);
    expect(touched).toEqual([]);
    expect(Object.fromEntries(registered)).toEqual(types);
  });
});

describe('a deferred set', () => {
  const file = join(core, 'network/10-mqtt.js');
  const defer = (types: TypeRegistry, deferred: DeferredSets, path: string) =>
    deferred.defer(path, (...type) => types.registerLater(set, ...type));
  const classOf = (types: TypeRegistry, name: string) => {
    const type = types.get(name);
    if (type?.is !== 'class') throw new Error(`${name} is no class`);
    return type.nodeClass;
  };

  it('is not read until the constructor of one of its types is asked for', () => {
    const types = registry();
    const { cache } = createRequire(file);
    delete cache[file];
    defer(types, new DeferredSets(), file)?.({ nodes: {} });
    expect(types.ofSet(set.id).map(({ type }) => type)).toEqual(['mqtt-broker', 'mqtt in', 'mqtt out']);
    expect(types.credentialFields('mqtt-broker')).toMatchObject({ password: { type: 'password' } });
    expect(cache[file]).toBeUndefined();
    expect(classOf(types, 'mqtt in').prototype).toBeInstanceOf(Base);
    expect(cache[file]).toBeDefined();
    expect(classOf(types, 'mqtt in')).toBe(classOf(types, 'mqtt in'));
  });

  it('that waits for something is made ready for the flows, also inside a subflow of a module', async () => {
    const types = registry();
    const deferred = new DeferredSets();
    defer(types, deferred, join(core, 'network/21-httprequest.js'))?.(watchful().red as { nodes: object });
    const subflowNodes = (type: string) =>
      type === 'outer' ? [{ id: 'n', type: 'http request' }] : undefined;
    await deferred.ready([{ id: 's', type: 'outer' }], subflowNodes);
    expect(classOf(types, 'http request').prototype).toBeInstanceOf(Base);
  });

  it('finds https.request as it was before node modules replaced it', async () => {
    const types = registry();
    const deferred = new DeferredSets();
    const red = { nodes: { createNode() {} }, log: { warn() {} }, settings: {} };
    defer(types, deferred, join(core, 'network/21-httprequest.js'))?.(red);
    const { request } = https;
    const patched = (...[options, done]: [never, never]) => request(options, done);
    https.request = Object.defineProperty(patched, 'length', { value: 2 }) as typeof request;
    try {
      await deferred.ready([{ id: 'n', type: 'http request' }], () => undefined);
      expect(https.request).toBe(patched);
      new (classOf(types, 'http request'))({} as never);
      expect(https.request).toBe(request);
    } finally {
      https.request = request;
    }
  });

  it('is one of the core: code of that name elsewhere runs at once', () => {
    const types = registry();
    expect(defer(types, new DeferredSets(), '/elsewhere/core/network/10-mqtt.js')).toBeUndefined();
    expect(defer(types, new DeferredSets(), join(core, 'common/20-inject.js'))).toBeUndefined();
  });

  it('whose code fails makes the making of its nodes fail, and is tried again', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sluice-deferred-'));
    const path = join(folder, '@node-red/nodes/core/function/rbe.js');
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, 'throw new Error("spoilt")');
    try {
      const types = registry();
      const deferred = new DeferredSets();
      defer(types, deferred, path)?.({ nodes: {} });
      await deferred.ready([{ id: 'n', type: 'rbe' }], () => undefined);
      expect(() => classOf(types, 'rbe')).toThrow('spoilt');
      await Promise.resolve();
      writeFileSync(path, 'module.exports = (RED) => RED.nodes.registerType("rbe", class {})');
      await deferred.ready([{ id: 'n', type: 'rbe' }], () => undefined);
      expect(classOf(types, 'rbe').prototype).toBeInstanceOf(Base);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
