import { describe, expect, it } from 'vitest';
import { PluginRegistry } from './plugin-registry.ts';

const acme = { id: 'acme/one', module: 'acme' };

function open() {
  const added: string[] = [];
  return { plugins: new PluginRegistry({ onAdded: (id) => added.push(id) }), added };
}

describe('PluginRegistry', () => {
  it('completes the definition before its onadd runs, as the same object', () => {
    const { plugins, added } = open();
    const seen: unknown[] = [];
    const definition = {
      type: 'theme',
      onadd() {
        seen.push(this, plugins.get('p'));
      },
    };
    plugins.register(acme, '/m/acme', 'p', definition);
    expect(seen).toEqual([definition, definition]);
    expect(plugins.get('p')).toMatchObject({ id: 'p', module: 'acme', path: '/m/acme' });
    expect(plugins.getByType('theme')).toEqual([definition]);
    expect(plugins.getByType('other')).toEqual([]);
    expect(added).toEqual(['p']);
  });

  it('forgets the plugins of a set, each with its onremove, also where one fails', () => {
    const { plugins } = open();
    const removed: string[] = [];
    plugins.register(acme, '', 'bad', {
      onremove() {
        throw new Error('will not go');
      },
    });
    plugins.register(acme, '', 'good', { onremove: () => removed.push('good') });
    expect(() => plugins.unregister('acme/one')).toThrow('will not go');
    expect(removed).toEqual(['good']);
    expect(plugins.ofSet('acme/one')).toEqual([]);
  });

  it('exports settings as far as the plugin says so', () => {
    const { plugins } = open();
    plugins.register(acme, '', 'some', {
      settings: { a: { exportable: true }, b: { value: 'b0', exportable: true }, c: { value: 1 } },
    });
    plugins.register(acme, '', 'all', {
      settings: { '*': { exportable: true }, secret: { exportable: false }, d: { value: 'd0' } },
    });
    plugins.register(acme, '', 'unset', { settings: { a: { value: 1, exportable: true } } });
    expect(
      plugins.exportSettings({ some: { a: 1, c: 2, x: 3 }, all: { a: 1, secret: 's' }, other: { a: 1 } }),
    ).toEqual({ some: { a: 1, b: 'b0' }, all: { a: 1, d: 'd0' } });
  });
});
