import { describe } from 'vitest';
import { settle } from '../support/flow-rig.ts';
import { injecting, sameOnBoth, tab } from '../support/same-on-both.ts';

const probe = (id: string, wires: unknown[] = [], more: object = {}) => ({
  id,
  type: 'probe',
  wires,
  ...more,
});

describe('links', () => {
  sameOnBoth(
    'out to in, named at either end',
    injecting(
      [
        ...tab('t', [
          { id: 'o1', type: 'link out', links: ['i1'] },
          { id: 'o2', type: 'link out', links: [] },
          { id: 'o3', type: 'link out', links: ['i1', 'i2', 'nowhere'], mode: 'link' },
        ]),
        ...tab('u', [
          { id: 'i1', type: 'link in', links: ['o2'], wires: [['a']] },
          { id: 'i2', type: 'link in', links: ['o2', 'o3'], wires: [['b']] },
          probe('a'),
          probe('b'),
        ]),
      ],
      ['o1', { n: 1 }],
      ['o2', { n: 2 }],
      ['o3', { n: 3 }],
    ),
  );
  sameOnBoth(
    'out to in, on no tab and without a place on it',
    injecting(
      [
        { id: 'o', type: 'link out', links: ['i'] },
        { id: 'i', type: 'link in', links: ['o2'], wires: [['a']] },
        { id: 'o2', type: 'link out', links: [] },
        probe('a'),
      ],
      ['o', { n: 1 }],
      ['o2', { n: 2 }],
    ),
  );
  const called = (id: string, more: object = {}) => [
    { id, type: 'link in', name: `name of ${id}`, links: [], wires: [[`${id}-f`]], ...more },
    {
      id: `${id}-f`,
      type: 'probe',
      wires: [[`${id}-r`]],
      code: 'msg.way = [...(msg.way || []), node.id]; send(msg); done()',
    },
    { id: `${id}-r`, type: 'link out', mode: 'return', links: [] },
  ];
  sameOnBoth(
    'call and return',
    injecting(
      [
        ...tab('t', [
          { id: 'c', type: 'link call', links: ['i'], wires: [['a']] },
          probe('a'),
          { id: 'k', type: 'complete', scope: ['c'], wires: [['a']] },
        ]),
        ...tab('u', called('i')),
      ],
      ['c', { payload: 1 }],
      ['c', { payload: 2 }],
    ),
  );
  sameOnBoth(
    'calls in calls',
    injecting(
      [
        ...tab('t', [{ id: 'c', type: 'link call', links: ['i'], wires: [['a']] }, probe('a')]),
        ...tab('u', [
          { id: 'i', type: 'link in', links: [], wires: [['c2']] },
          { id: 'c2', type: 'link call', links: ['j'], wires: [['r']] },
          { id: 'r', type: 'link out', mode: 'return', links: [] },
          ...called('j'),
        ]),
      ],
      ['c', { payload: 1 }],
    ),
  );
  for (const target of ['i', 'name of i', 'name of j', 'name of both', 'none', '', undefined]) {
    sameOnBoth(
      `dynamic call of ${target}`,
      injecting(
        [
          ...tab('t', [
            { id: 'c', type: 'link call', links: [], linkType: 'dynamic', wires: [['a']] },
            probe('a'),
            { id: 'e', type: 'catch', wires: [['a']] },
            ...called('i'),
          ]),
          ...tab('u', [...called('j'), ...called('k', { name: 'name of both' })]),
          ...tab('v', called('l', { name: 'name of both' })),
          ...tab('w', called('m', { name: 'name of i' })),
        ],
        ['c', { target }],
      ),
    );
  }
  sameOnBoth('a call that is never answered', async (rig) => {
    await rig.deploy(
      tab('t', [
        { id: 'c', type: 'link call', links: ['i'], timeout: '0.02', wires: [['a']] },
        probe('a'),
        { id: 'i', type: 'link in', links: [], wires: [['b']] },
        probe('b'),
        { id: 'e', type: 'catch', wires: [['a']] },
      ]),
    );
    rig.inject('c', { _msgid: 'm', payload: 1 });
    await settle(60);
  });
  sameOnBoth(
    'a return without a call',
    injecting(tab('t', [{ id: 'r', type: 'link out', mode: 'return', links: [] }]), ['r', {}]),
  );
  sameOnBoth('the event of a link out', async (rig) => {
    await rig.deploy(tab('t', [{ id: 'o', type: 'link out', links: [] }]));
    rig.events.once('node:o', (msg) => rig.seen.push(['event', { ...msg }]));
    rig.inject('o', { _msgid: 'm', payload: 1 });
    await settle();
  });
  sameOnBoth(
    'inside a subflow',
    injecting(
      [
        {
          id: 'sf',
          type: 'subflow',
          name: 'SF',
          in: [{ wires: [{ id: 'so' }, { id: 'sc' }] }],
          out: [
            {
              wires: [
                { id: 'si', port: 0 },
                { id: 'sc', port: 0 },
              ],
            },
          ],
        },
        ...[
          { id: 'so', type: 'link out', links: ['si', 'outside'] },
          { id: 'si', type: 'link in', links: ['so'], wires: [[]] },
          { id: 'sc', type: 'link call', links: ['outside'], wires: [[]] },
        ].map((node) => ({ z: 'sf', x: 0, y: 0, wires: [], ...node })),
        ...tab('t', [{ id: 'inst', type: 'subflow:sf', wires: [['a']] }, probe('a')]),
        ...tab('u', called('outside')),
      ] as never,
      ['inst', { payload: 1 }],
    ),
  );
});
