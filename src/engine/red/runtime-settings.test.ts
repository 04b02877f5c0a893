import { describe, expect, it } from 'vitest';
import { NodeSettings } from './node-settings.ts';
import { RuntimeSettings } from './runtime-settings.ts';

function open(file: Record<string, unknown> = {}, kept: Record<string, unknown> = {}) {
  const written: unknown[][] = [];
  const nodeSettings = new NodeSettings({
    settings: file,
    normalise: (type) => type.replace(/[ -](\w)/g, (_, letter: string) => letter.toUpperCase()),
  });
  const settings = new RuntimeSettings({
    file,
    kept,
    users: { fred: { tours: false } },
    keeper: {
      setSetting: async (...args) => void written.push(args),
      setUserSettings: async (...args) => void written.push(args),
    },
    nodeSettings,
  });
  // biome-ignore lint/suspicious/noExplicitAny: used as node modules use it
  return { settings, red: settings.facade() as any, written, nodeSettings };
}

describe('RED.settings', () => {
  it('shows the settings file as own properties that cannot be assigned', () => {
    const { red } = open({ uiPort: 1880, own: { deep: [1] } });
    expect(red.uiPort).toBe(1880);
    expect(Object.hasOwn(red, 'own')).toBe(true);
    expect(Object.keys(red)).toContain('uiPort');
    expect(() => {
      red.uiPort = 1;
    }).toThrow("Property 'uiPort' is read-only");
  });

  it('lets a set keep something of its own on it, unseen by others', () => {
    const { settings, red } = open();
    red.mine = 1;
    expect(red.mine).toBe(1);
    expect(settings.facade()['mine']).toBeUndefined();
  });

  it('never lets a setting take the place of a function', () => {
    const { red } = open({ get: 1, set: 2 });
    expect(typeof red.get).toBe('function');
    expect(typeof red.set).toBe('function');
  });

  it('gets copies: of the file first, then of what code has set', () => {
    const file = { a: { deep: [1] }, f: () => 1 };
    const { red } = open(file, { a: 'hidden', b: { c: 1 } });
    red.get('a').deep.push(2);
    expect(red.get('a')).toEqual({ deep: [1] });
    expect(red.get('f')).toBe(file.f);
    red.get('b').c = 2;
    expect(red.get('b')).toEqual({ c: 1 });
    expect(red.get('none')).toBeUndefined();
  });

  it('sets and deletes through the keeper, and not where nothing changes', async () => {
    const { red, written } = open({}, { b: 1 });
    await red.set('a', { x: 1 });
    await red.set('a', { x: 1 });
    await red.set('b', undefined);
    await red.delete('none');
    await red.delete('a');
    expect(written).toEqual([
      ['a', { x: 1 }],
      ['b', undefined],
      ['a', undefined],
    ]);
    expect(red.get('a')).toBeUndefined();
  });

  it('refuses names of the settings file, and users', () => {
    const { red } = open({ uiPort: 1880 });
    expect(() => red.set('uiPort', 1)).toThrow('read-only');
    expect(() => red.delete('uiPort')).toThrow('read-only');
    expect(() => red.get('users')).toThrow('getUserSettings');
    expect(() => red.set('users', {})).toThrow('setUserSettings');
  });

  it('reads and writes user settings', async () => {
    const { settings, red, written } = open();
    red.getUserSettings('fred').tours = true;
    expect(red.getUserSettings('fred')).toEqual({ tours: false });
    await red.setUserSettings('fred', { tours: false });
    await red.setUserSettings('jane', { a: 1 });
    settings.userChanged('fred', { tours: 'changed' });
    expect(red.getUserSettings('fred')).toEqual({ tours: 'changed' });
    expect(written).toEqual([['jane', { a: 1 }]]);
  });
});

describe('settings of node types', () => {
  it('exports what is exportable: from the file, else the default, never over another', () => {
    const { red } = open({ myNodeA: 'file' });
    red.registerNodeSettings('my-node', {
      myNodeA: { value: 'default', exportable: true },
      myNodeB: { value: 'default', exportable: true },
      myNodeC: { value: 'secret' },
      myNodeD: { exportable: true },
      myNodeE: { value: 'mine', exportable: true },
    });
    expect(red.exportNodeSettings({ myNodeE: 'theirs' })).toEqual({
      myNodeE: 'theirs',
      myNodeA: 'file',
      myNodeB: 'default',
    });
    red.disableNodeSettings(['my-node']);
    expect(red.exportNodeSettings({})).toEqual({});
    red.enableNodeSettings(['my-node']);
    expect(red.exportNodeSettings({})).toHaveProperty('myNodeA');
  });

  it('refuses names that do not start with the type, and declares none of them', () => {
    const { red, nodeSettings } = open();
    expect(() =>
      red.registerNodeSettings('my-node', {
        myNodeA: { value: 1, exportable: true },
        other: { value: 1, exportable: true },
      }),
    ).toThrow("must start with 'myNode'");
    expect(nodeSettings.exportTo({})).toEqual({});
  });
});
