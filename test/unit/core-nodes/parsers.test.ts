import { afterEach, describe, expect, it } from 'vitest';
import helper from '../../../src/testing/index.ts';
import { core, exchange, flowOf, give, type Message } from '../../support/core-node.ts';

afterEach(() => helper.unload());

const payloads = (messages: readonly Message[]) => messages.map(({ payload }) => payload);
const caught = [{ id: 'c', type: 'catch', z: 'tab', x: 0, y: 0, scope: null, wires: [['out']] }];

describe('csv', () => {
  const load = (config: object) =>
    helper.load(
      core('parsers/70-CSV'),
      flowOf('csv', {
        sep: ',',
        hdrin: true,
        hdrout: 'all',
        multi: 'one',
        ret: '\\n',
        temp: '',
        skip: 0,
        strings: true,
        include_empty_strings: false,
        include_null_values: false,
        spec: 'rfc',
        ...config,
      }),
    );

  it('reads rows, one by one or together', async () => {
    await load({});
    expect(payloads(await give('n1', [{ payload: 'a,b\n1,x\n2,"y,z"\n' }], 'out', 2))).toEqual([
      { a: 1, b: 'x' },
      { a: 2, b: 'y,z' },
    ]);
    await helper.unload();
    await load({ multi: 'mult', hdrin: false, temp: 'p,q', sep: ';' });
    expect((await exchange('n1', { payload: '1;2\n3;4' }))['payload']).toEqual([
      { p: 1, q: 2 },
      { p: 3, q: 4 },
    ]);
  });

  it('writes rows', async () => {
    await load({ temp: 'a,b' });
    expect((await exchange('n1', { payload: [{ a: 1, b: 'x,"y"' }, { a: 2 }] }))['payload']).toBe(
      'a,b\n1,"x,""y"""\n2,\n',
    );
  });
});

describe('html', () => {
  const load = (config: object) =>
    helper.load(
      core('parsers/70-HTML'),
      flowOf('html', {
        property: 'payload',
        outproperty: 'payload',
        tag: 'li',
        ret: 'text',
        as: 'single',
        chr: '_',
        ...config,
      }),
    );
  const page = '<ul><li class="a">1</li><li>2</li></ul>';

  it('picks elements', async () => {
    await load({});
    expect((await exchange('n1', { payload: page }))['payload']).toEqual(['1', '2']);
    await helper.unload();
    await load({ as: 'multi', ret: 'attr' });
    expect(payloads(await give('n1', [{ payload: page }], 'out', 1))).toEqual([{ class: 'a' }]);
    await helper.unload();
    await load({ tag: '' });
    expect((await exchange('n1', { payload: page, select: '.a' }))['payload']).toEqual(['1']);
  });
});

describe('json', () => {
  const load = (config: object, more: Message[] = []) =>
    helper.load(core('parsers/70-JSON'), [
      ...flowOf('json', { property: 'payload', action: '', pretty: false, ...config }),
      ...(more as never[]),
    ]);

  it('goes either way, or the one that is wanted', async () => {
    await load({ pretty: true });
    expect((await exchange('n1', { payload: '{"a":[1]}' }))['payload']).toEqual({ a: [1] });
    expect((await exchange('n1', { payload: { a: 1 } }))['payload']).toBe('{\n    "a": 1\n}');
    await helper.unload();
    await load({ action: 'str' });
    expect((await exchange('n1', { payload: '{"a":1}' }))['payload']).toBe('{"a":1}');
  });

  it('checks against a schema, and reports what is no JSON', async () => {
    await load({}, caught);
    const schema = { type: 'object', required: ['a'] };
    expect((await exchange('n1', { payload: '{"a":1}', schema }))['payload']).toEqual({ a: 1 });
    expect((await exchange('n1', { payload: '{"b":1}', schema }))['error'].message).toContain(
      "required property 'a'",
    );
    expect((await exchange('n1', { payload: '{' }))['error'].message).toContain('JSON');
  });
});

describe('xml', () => {
  it('reads and writes', async () => {
    await helper.load(core('parsers/70-XML'), flowOf('xml', { property: 'payload', attr: '', chr: '' }));
    const object = (await exchange('n1', { payload: '<a k="v"><b>1</b><b>2</b></a>' }))['payload'];
    expect(object).toEqual({ a: { $: { k: 'v' }, b: ['1', '2'] } });
    expect(
      (await exchange('n1', { payload: { a: { b: [1] } }, options: { headless: true } }))['payload'],
    ).toBe('<a>\n  <b>1</b>\n</a>');
  });
});

describe('yaml', () => {
  it('reads, writes and reports errors', async () => {
    await helper.load(core('parsers/70-YAML'), [...flowOf('yaml', { property: 'payload' }), ...caught]);
    expect((await exchange('n1', { payload: 'a:\n  - 1\n  - x' }))['payload']).toEqual({ a: [1, 'x'] });
    expect((await exchange('n1', { payload: { a: [1] } }))['payload']).toBe('a:\n  - 1\n');
    expect((await exchange('n1', { payload: 'a: [' }))['error'].message).toContain('unexpected end');
  });
});
