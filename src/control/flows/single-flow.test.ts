import { describe, expect, it } from 'vitest';
import type { FlowItem } from '../../contract/flows.ts';
import { addFlow, readFlow, removeFlow, replaceFlow } from './single-flow.ts';

const flows = [
  { id: 't1', type: 'tab', label: 'One', info: 'about', env: [], locked: true },
  { id: 'g1', type: 'group', z: 't1', nodes: ['n1'] },
  { id: 'n1', type: 'inject', z: 't1', x: 1, y: 2, wires: [['lo']], broker: 'c-global' },
  { id: 'lo', type: 'link out', z: 't1', x: 1, y: 2, wires: [], links: [] },
  { id: 'i1', type: 'subflow:s1', z: 't1', x: 1, y: 2, wires: [] },
  { id: 'c1', type: 'some-config', z: 't1' },
  { id: 's1', type: 'subflow', name: 'Sub' },
  { id: 'sn', type: 'debug', z: 's1', x: 1, y: 1, wires: [] },
  { id: 'sc', type: 'some-config', z: 's1' },
  { id: 'c-global', type: 'mqtt-broker' },
  { id: 'loose', type: 'debug', z: 'implied', x: 1, y: 1, wires: [] },
] as unknown as FlowItem[];
const ids = (items: readonly FlowItem[] | undefined) => items?.map((item) => item.id);

describe('readFlow', () => {
  it('shows a tab: groups first, links without their wires, configuration nodes apart', () => {
    expect(readFlow(flows, 't1')).toEqual({
      id: 't1',
      label: 'One',
      info: 'about',
      env: [],
      nodes: [
        flows[1],
        flows[2],
        { id: 'lo', type: 'link out', z: 't1', x: 1, y: 2, links: [] },
        { ...flows[4], subflow: 's1' },
      ],
      configs: [flows[5]],
    });
  });

  it('shows the tab that nodes without one imply, and nothing for ids that are no tabs', () => {
    expect(readFlow(flows, 'implied')).toEqual({ id: 'implied', nodes: [flows[10]] });
    for (const id of ['s1', 'n1', 'nope', '']) expect(readFlow(flows, id)).toBeUndefined();
  });

  it('shows what is outside of tabs as global, with the users of configuration nodes', () => {
    expect(readFlow(flows, 'global')).toEqual({
      id: 'global',
      configs: [{ id: 'c-global', type: 'mqtt-broker', _users: ['n1'] }],
      subflows: [{ id: 's1', type: 'subflow', name: 'Sub', nodes: [flows[7]], configs: [flows[8]] }],
    });
    expect(readFlow([], 'global')).toEqual({ id: 'global' });
  });
});

describe('addFlow', () => {
  it('adds a tab and puts every node into it', () => {
    const body = {
      label: 'New',
      nodes: [{ id: 'a', type: 'inject', z: 'elsewhere' }],
      configs: [{ id: 'b', type: 'c' }],
    };
    expect(addFlow(flows, 'new', body)).toEqual([
      ...flows,
      { type: 'tab', label: 'New', id: 'new' },
      { id: 'a', type: 'inject', z: 'new' },
      { id: 'b', type: 'c', z: 'new' },
    ]);
  });

  it.each([
    [{}, 'missing nodes property'],
    ['text', 'missing nodes property'],
    [{ nodes: {} }, 'nodes must be an array'],
    [{ nodes: [3] }, 'nodes[0] must be an object'],
    [{ nodes: [{ id: 'n1', type: 'x' }] }, 'duplicate id'],
    [{ nodes: [{ id: 'x', type: 'tab' }] }, 'invalid node type: tab'],
    [{ nodes: [], configs: [{ id: 'x', type: 'subflow' }] }, 'invalid node type: subflow'],
  ])('refuses %j: %s', (body, detail) => {
    expect(() => addFlow(flows, 'new', body)).toThrow(
      expect.objectContaining({ code: 'unexpected_error', detail }),
    );
  });
});

describe('replaceFlow', () => {
  it('replaces a tab with all that is in it', () => {
    const body = {
      label: 'Again',
      disabled: true,
      credentials: { a: 'b' },
      nodes: [{ id: 'n9', type: 'x', z: 'other' }],
    };
    const next = replaceFlow(flows, 't1', body);
    expect(ids(next)).toEqual(['s1', 'sn', 'sc', 'c-global', 'loose', 't1', 'n9']);
    expect(next?.slice(-2)).toEqual([
      { type: 'tab', label: 'Again', id: 't1', disabled: true, credentials: { a: 'b' } },
      { id: 'n9', type: 'x', z: 't1' },
    ]);
  });

  it('replaces everything outside of tabs', () => {
    const body = {
      configs: [{ id: 'c2', type: 'some-config' }],
      subflows: [
        {
          id: 's2',
          type: 'subflow',
          nodes: [{ id: 'sn2', type: 'x', z: 's2' }],
          configs: [{ id: 'sc2', type: 'y', z: 's2' }],
        },
      ],
    };
    const next = replaceFlow(flows, 'global', body);
    expect(ids(next)).toEqual(['t1', 'g1', 'n1', 'lo', 'i1', 'c1', 'loose', 'c2', 'sn2', 'sc2', 's2']);
    expect(next?.at(-1)).toEqual({ id: 's2', type: 'subflow' });
  });

  it('knows no tab of another id', () => {
    expect(replaceFlow(flows, 'nope', { nodes: [] })).toBeUndefined();
  });
});

describe('removeFlow', () => {
  it('removes a tab with all that is in it', () => {
    expect(ids(removeFlow(flows, 't1'))).toEqual(['s1', 'sn', 'sc', 'c-global', 'loose']);
    expect(removeFlow(flows, 'nope')).toBeUndefined();
  });

  it('does not remove global', () => {
    expect(() => removeFlow(flows, 'global')).toThrow('not allowed to remove global');
  });
});
