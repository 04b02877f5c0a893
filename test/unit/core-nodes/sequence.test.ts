import { afterEach, describe, expect, it } from 'vitest';
import helper from '../../../src/testing/index.ts';
import { core, exchange, flowOf, give, type Message } from '../../support/core-node.ts';

afterEach(() => helper.unload());

const payloads = (messages: readonly Message[]) => messages.map(({ payload }) => payload);
const sequence = (...list: unknown[]) =>
  list.map((payload, index) => ({ payload, parts: { id: 's', index, count: list.length } }));

describe('split and join', () => {
  const nodes = core('sequence/17-split');
  const split = (config: object) =>
    helper.load(
      nodes,
      flowOf('split', {
        splt: '\\n',
        spltType: 'str',
        arraySplt: 1,
        arraySpltType: 'len',
        stream: false,
        addname: '',
        property: 'payload',
        ...config,
      }),
    );
  const join = (config: object) =>
    helper.load(
      nodes,
      flowOf('join', {
        mode: 'custom',
        build: 'array',
        property: 'payload',
        propertyType: 'msg',
        key: 'topic',
        joiner: ',',
        joinerType: 'str',
        accumulate: false,
        timeout: '',
        count: '',
        ...config,
      }),
    );

  it('split takes texts, arrays, objects and buffers apart', async () => {
    await split({ addname: 'topic' });
    expect(payloads(await give('n1', [{ payload: 'a\nb' }], 'out', 2))).toEqual(['a', 'b']);
    expect((await give('n1', [{ payload: [1, 2] }], 'out', 2))[1]).toMatchObject({
      payload: 2,
      parts: { type: 'array', index: 1, count: 2, len: 1 },
    });
    expect(await give('n1', [{ payload: { k: 1, l: 2 } }], 'out', 2)).toMatchObject([
      { topic: 'k', payload: 1 },
      { topic: 'l', payload: 2 },
    ]);
    await helper.unload();
    await split({ splt: '2', spltType: 'len' });
    expect(payloads(await give('n1', [{ payload: 'abcde' }], 'out', 3))).toEqual(['ab', 'cd', 'e']);
  });

  it('split handles a stream of texts', async () => {
    await split({ stream: true });
    expect(payloads(await give('n1', [{ payload: 'a\nb' }, { payload: 'c\nd' }], 'out', 2))).toEqual([
      'a',
      'bc',
    ]);
  });

  it('join puts back together what split took apart', async () => {
    const place = { z: 'tab', x: 0, y: 0 };
    await helper.load(nodes, [
      { id: 'tab', type: 'tab' },
      {
        id: 'n1',
        type: 'split',
        ...place,
        splt: ',',
        spltType: 'str',
        arraySplt: 1,
        arraySpltType: 'len',
        wires: [['j']],
      },
      { id: 'j', type: 'join', ...place, mode: 'auto', wires: [['out']] },
      { id: 'out', type: 'helper', ...place, wires: [] },
    ]);
    expect(await exchange('n1', { payload: 'a,b' })).toMatchObject({ payload: 'a,b' });
    expect((await exchange('n1', { payload: { k: { l: 1 } } }))['payload']).toEqual({ k: { l: 1 } });
  });

  it('join counts, takes keys, and joins texts', async () => {
    await join({ count: '2' });
    expect(payloads(await give('n1', [{ payload: 1 }, { payload: 2 }], 'out', 1))).toEqual([[1, 2]]);
    await helper.unload();
    await join({ build: 'object', count: '2' });
    expect(
      payloads(
        await give(
          'n1',
          [
            { topic: 'a', payload: 1 },
            { topic: 'b', payload: 2 },
          ],
          'out',
          1,
        ),
      ),
    ).toEqual([{ a: 1, b: 2 }]);
    await helper.unload();
    await join({ build: 'string', count: '3', joiner: '-' });
    expect(payloads(await give('n1', [{ payload: 1 }, { payload: 2, complete: true }], 'out', 1))).toEqual([
      '1-2',
    ]);
  });

  it('join sends what has come when its time is over', async () => {
    await join({ timeout: '0.02' });
    expect(payloads(await give('n1', [{ payload: 1 }, { payload: 2 }], 'out', 1))).toEqual([[1, 2]]);
  });

  it('join reduces with an expression', async () => {
    await join({
      mode: 'reduce',
      reduceExp: '$A + payload',
      reduceInit: '10',
      reduceInitType: 'num',
      reduceFixup: '$A * 2',
      reduceRight: false,
    });
    expect(payloads(await give('n1', sequence(1, 2, 3), 'out', 1))).toEqual([32]);
  });
});

describe('sort', () => {
  const load = (config: object) =>
    helper.load(
      core('sequence/18-sort'),
      flowOf('sort', {
        order: 'ascending',
        as_num: false,
        target: 'payload',
        targetType: 'msg',
        msgKey: 'payload',
        msgKeyType: 'elem',
        seqKey: 'payload',
        seqKeyType: 'msg',
        ...config,
      }),
    );

  it('sorts arrays, also by an expression', async () => {
    await load({ as_num: true, order: 'descending' });
    expect((await exchange('n1', { payload: ['10', '9', '100'] }))['payload']).toEqual(['100', '10', '9']);
    await helper.unload();
    await load({ msgKey: 'n', msgKeyType: 'jsonata' });
    expect((await exchange('n1', { payload: [{ n: 'b' }, { n: 'a' }] }))['payload']).toEqual([
      { n: 'a' },
      { n: 'b' },
    ]);
  });

  it('sorts the messages of a sequence', async () => {
    await load({ targetType: 'seq' });
    expect(payloads(await give('n1', sequence('c', 'a', 'b'), 'out', 3))).toEqual(['a', 'b', 'c']);
  });
});

describe('batch', () => {
  const load = (config: object) =>
    helper.load(
      core('sequence/19-batch'),
      flowOf('batch', {
        count: 2,
        overlap: 0,
        interval: 0.02,
        allowEmptySequence: false,
        topics: [],
        ...config,
      }),
    );
  const groups = (messages: readonly Message[]) =>
    messages.map(({ payload, parts }) => [payload, parts.index, parts.count]);

  it('makes sequences by number, with an overlap', async () => {
    await load({ mode: 'count', overlap: 1 });
    const messages = await give(
      'n1',
      [1, 2, 3].map((payload) => ({ payload })),
      'out',
      4,
    );
    expect(groups(messages)).toEqual([
      [1, 0, 2],
      [2, 1, 2],
      [2, 0, 2],
      [3, 1, 2],
    ]);
  });

  it('makes sequences by time', async () => {
    await load({ mode: 'interval' });
    expect(
      groups(
        await give(
          'n1',
          [1, 2].map((payload) => ({ payload })),
          'out',
          2,
        ),
      ),
    ).toEqual([
      [1, 0, 2],
      [2, 1, 2],
    ]);
  });

  it('puts sequences of several topics together', async () => {
    await load({ mode: 'concat', topics: [{ topic: 'b' }, { topic: 'a' }] });
    const of = (topic: string, ...list: unknown[]) =>
      sequence(...list).map((message) => ({ ...message, topic, parts: { ...message.parts, id: topic } }));
    expect(payloads(await give('n1', [...of('a', 1, 2), ...of('b', 3)], 'out', 3))).toEqual([3, 1, 2]);
  });
});
