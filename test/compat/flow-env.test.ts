// biome-ignore-all lint/suspicious/noTemplateCurlyInString: names of env properties are written so in flows
import { describe } from 'vitest';
import { settle, type TestFlows } from '../support/flow-rig.ts';
import { sameOnBoth, tab } from '../support/same-on-both.ts';

process.env['RIG_HOST'] = 'from the host';
process.env['RIG_HIDDEN'] = 'secret of the host';

const names = [
  'STR',
  'NUM',
  'BOOL',
  'JSON',
  'BIN',
  'DATE',
  'RE',
  'REF',
  'REFREF',
  'SELF',
  'RIG_HOST',
  'RIG_HIDDEN',
  'NONE',
  'TMPL',
  'INST',
  'GRP',
  'GLB',
  'JSONATA',
  'MIX',
  'CRED',
  'STR2',
  '$parent.STR',
  '$parent.$parent.STR',
  '$parent.$parent.$parent.STR',
  'NR_NODE_ID',
  'NR_NODE_NAME',
  'NR_NODE_PATH',
  'NR_GROUP_ID',
  'NR_GROUP_NAME',
  'NR_FLOW_ID',
  'NR_FLOW_NAME',
  'NR_SUBFLOW_ID',
  'NR_SUBFLOW_NAME',
  'NR_SUBFLOW_PATH',
  '$parent.NR_GROUP_NAME',
  '$parent.NR_FLOW_NAME',
  '$parent.NR_SUBFLOW_NAME',
];
/** Records every name, as the node sees it. */
const looking = (id: string, more: object = {}) => ({
  id,
  type: 'probe',
  x: 0,
  y: 0,
  wires: [],
  name: `Name of ${id}`,
  init: `record([node.id, Object.fromEntries(${JSON.stringify(names)}.map((name) => [name, RED.util.getSetting(node, name)]))])`,
  ...more,
});
const env = (level: string, more: object[] = []) => [
  { name: 'STR', type: 'str', value: `str of ${level}` },
  { name: 'NUM', type: 'num', value: '42' },
  { name: 'BOOL', type: 'bool', value: 'true' },
  { name: 'JSON', type: 'json', value: '{"level":"' + level + '","list":[1,2]}' },
  { name: 'BIN', type: 'bin', value: '[104,105]' },
  { name: 'RE', type: 're', value: 'a+' },
  { name: 'REF', type: 'env', value: 'STR' },
  { name: 'REFREF', type: 'env', value: '${REF}' },
  { name: 'SELF', type: 'env', value: 'SELF' },
  { name: 'MIX', type: 'env', value: 'x${STR}y${NONE}z' },
  { name: 'RIG_HOST', type: 'env', value: 'RIG_HOST' },
  ...more,
];
const group = (id: string, more: object = {}) => ({
  id,
  type: 'group',
  name: `Group ${id}`,
  nodes: [],
  ...more,
});

describe('env', () => {
  sameOnBoth('of a tab', async (rig) => {
    await rig.deploy(tab('t', [looking('n')], { env: env('tab') }));
  });
  sameOnBoth('of nothing', async (rig) => {
    await rig.deploy(tab('t', [looking('n')]));
  });
  sameOnBoth(
    'with excluded names',
    async (rig) => {
      await rig.deploy(tab('t', [looking('n')]));
    },
    { settings: { envVarExcludes: ['RIG_HIDDEN'] } },
  );
  sameOnBoth('of groups', async (rig) => {
    await rig.deploy(
      tab(
        't',
        [
          group('g2', {
            g: 'g1',
            env: [
              { name: 'STR', type: 'str', value: 'inner' },
              { name: 'GRP', type: 'env', value: 'STR' },
            ],
          }),
          group('g1', { env: env('outer') }),
          group('g3'),
          looking('a', { g: 'g1' }),
          looking('b', { g: 'g2' }),
          looking('c', { g: 'g3' }),
          looking('d', { g: 'unknown' }),
          looking('e'),
        ],
        { env: env('tab') },
      ),
    );
  });
  sameOnBoth('of global-config', async (rig) => {
    await rig.deploy(
      [
        {
          id: 'gc',
          type: 'global-config',
          env: env('global', [
            { name: 'GLB', type: 'str', value: 'global' },
            { name: 'CRED', type: 'cred', value: '' },
          ]),
          modules: {},
        },
        { ...looking('cfg'), x: undefined, y: undefined },
        ...tab('t', [looking('n')], { env: [{ name: 'STR', type: 'str', value: 'tab' }] }),
      ].map((item) => JSON.parse(JSON.stringify(item))),
      { credentials: { gc: { map: { CRED: 'hidden' } } } },
    );
  });
  const subflow = (inner: object[], templateEnv: unknown, id = 'sf') => [
    { id, type: 'subflow', name: `Template ${id}`, in: [], out: [], env: templateEnv },
    ...inner.map((node) => ({ z: id, x: 0, y: 0, wires: [], ...node })),
  ];
  sameOnBoth('of subflows', async (rig) => {
    await rig.deploy([
      ...subflow(
        [
          looking('n'),
          looking('m', { g: 'sg' }),
          group('sg', { env: [{ name: 'GRP', type: 'env', value: 'INST' }] }),
        ],
        env('template', [{ name: 'TMPL', type: 'str', value: 'template only' }]),
      ),
      ...tab(
        't',
        [
          {
            id: 'i',
            type: 'subflow:sf',
            name: 'Instance',
            env: [
              { name: 'STR', type: 'str', value: 'instance' },
              { name: 'INST', type: 'env', value: 'STR' },
              { name: 'STR2', type: 'env', value: '$parent.STR' },
            ],
          },
          { id: 'k', type: 'subflow:sf', g: 'g1' },
          group('g1', {
            env: [
              { name: 'STR', type: 'str', value: 'group' },
              { name: 'GLB', type: 'str', value: 'of group' },
            ],
          }),
        ],
        { env: env('tab', [{ name: 'STR2', type: 'str', value: 'tab two' }]) },
      ),
    ] as TestFlows);
  });
  sameOnBoth('of nested subflows', async (rig) => {
    await rig.deploy([
      ...subflow(
        [looking('n')],
        [
          { name: 'STR', type: 'str', value: 'inner template' },
          { name: 'TMPL', type: 'env', value: 'INST' },
        ],
        'inner',
      ),
      ...subflow(
        [
          {
            id: 'p',
            type: 'subflow:inner',
            name: 'P',
            g: 'og',
            env: [{ name: 'STR', type: 'env', value: 'STR' }],
          },
          group('og', { env: [{ name: 'GRP', type: 'str', value: 'outer group' }] }),
        ],
        [
          { name: 'INST', type: 'str', value: 'outer template' },
          { name: 'STR', type: 'str', value: 'outer template str' },
        ],
        'outer',
      ),
      ...tab(
        't',
        [{ id: 'i', type: 'subflow:outer', name: 'I', env: [{ name: 'INST', type: 'num', value: '7' }] }],
        { env: env('tab') },
      ),
    ] as TestFlows);
  });
  sameOnBoth('with JSONata', async (rig) => {
    await rig.deploy(
      tab(
        't',
        [
          looking('n'),
          looking('m', { g: 'g' }),
          group('g', {
            env: [{ name: 'GRP', type: 'jsonata', value: '$env("STR") & "!"' }],
          }),
        ],
        {
          env: env('tab', [
            { name: 'JSONATA', type: 'jsonata', value: '{"a": 1 + 1, "h": $env("RIG_HOST")}' },
            { name: 'TMPL', type: 'env', value: 'JSONATA' },
          ]),
        },
      ),
    );
  });
  sameOnBoth('with mistakes', async (rig) => {
    await rig.deploy(
      tab('t', [looking('n')], {
        env: [
          { name: 'JSON', type: 'json', value: '{' },
          { name: 'BIN', type: 'bin', value: '{}' },
          { name: 'STR', type: 'unknown', value: 'v' },
          { name: 'REF', type: 'env', value: 'JSON' },
        ],
      }),
    );
  });
  sameOnBoth('of type env in every order', async (rig) => {
    await rig.deploy(
      tab('t', [looking('n')], {
        env: [
          { name: 'REFREF', type: 'env', value: '${REF}' },
          { name: 'INST', type: 'env', value: 'REF' },
          { name: 'REF', type: 'env', value: 'STR' },
          { name: 'STR', type: 'str', value: 's' },
          { name: 'TMPL', type: 'env', value: '${STR}${STR}' },
          { name: 'GRP', type: 'env', value: '' },
          { name: 'GLB', type: 'env', value: 'JSON' },
          { name: 'JSON', type: 'json', value: '[1]' },
        ],
      }),
    );
  });
  sameOnBoth('gives every reader an object of its own', async (rig) => {
    await rig.deploy(
      tab(
        't',
        [
          {
            id: 'a',
            type: 'probe',
            init: 'const v = RED.util.getSetting(node, "JSON"); v.list.push(3); record(v)',
          },
          { id: 'b', type: 'probe', init: 'record(RED.util.getSetting(node, "JSON"))' },
        ],
        { env: env('tab') },
      ),
    );
  });
  sameOnBoth('with credentials', async (rig) => {
    await rig.deploy(
      [
        ...subflow(
          [looking('n')],
          [
            { name: 'CRED', type: 'cred', value: '' },
            { name: 'TMPL', type: 'cred' },
          ],
        ),
        ...tab(
          't',
          [
            looking('a'),
            looking('b', { g: 'g' }),
            group('g', { env: [{ name: 'CRED', type: 'cred' }] }),
            {
              id: 'i',
              type: 'subflow:sf',
              env: [
                { name: 'CRED', type: 'cred' },
                { name: 'INST', type: 'cred' },
              ],
            },
            { id: 'k', type: 'subflow:sf', env: [{ name: 'CRED', type: 'cred' }] },
          ],
          { env: [{ name: 'CRED', type: 'cred' }] },
        ),
      ] as TestFlows,
      {
        credentials: {
          t: { CRED: 'of tab' },
          g: { CRED: 'of group' },
          sf: { CRED: 'of template', TMPL: 'tmpl' },
          i: { CRED: 'of instance', INST: 'inst' },
        },
      },
    );
  });
  sameOnBoth('after a deploy', async (rig) => {
    const flows = (value: string, changed: string) =>
      tab(
        't',
        [
          looking('n'),
          looking('m', { more: changed }),
          { id: 'g', type: 'group', nodes: [], env: [{ name: 'GRP', type: 'str', value }] },
          looking('o', { g: 'g' }),
        ],
        { env: [{ name: 'STR', type: 'str', value }] },
      );
    await rig.deploy(flows('one', 'x'));
    await rig.deploy(flows('one', 'y'), { mode: 'nodes' });
    await rig.deploy(flows('two', 'y'), { mode: 'nodes' });
    await settle();
  });
});

describe('names in the properties of nodes', () => {
  const written = {
    whole: '${STR}',
    old: '$(STR)',
    num: '${NUM}',
    json: '${JSON}',
    bool: '${BOOL}',
    part: 'x${STR}',
    two: '${STR}${STR}',
    none: '${NOTHING}',
    empty: '${}',
    spaced: '${A B}',
    list: ['${STR}', 1, null, { deep: '$(NUM)' }],
    object: { a: { b: '${STR}' } },
    id2: '${NR_NODE_ID}',
    path2: '${NR_NODE_PATH}',
    name2: '${NR_NODE_NAME}',
    flow2: '${NR_FLOW_NAME}',
    parent: '${$parent.STR}',
    nothing: null,
    yes: true,
    dollar: '$',
    method: '${toString}',
  };
  const showing = (id: string, more: object = {}) => ({
    id,
    type: 'probe',
    name: 'Shown',
    x: 0,
    y: 0,
    wires: [],
    init: 'record([node.id, config])',
    ...written,
    ...more,
  });
  sameOnBoth('on a tab', async (rig) => {
    await rig.deploy(
      tab(
        't',
        [
          showing('n'),
          showing('m', { g: 'g' }),
          { id: 'g', type: 'group', nodes: [], env: [{ name: 'STR', type: 'str', value: 'group' }] },
        ],
        { env: env('tab') },
      ),
    );
  });
  sameOnBoth('in a subflow and of an instance', async (rig) => {
    await rig.deploy([
      { id: 'sf', type: 'subflow', name: 'S', in: [], out: [], env: env('template') },
      { ...showing('n'), z: 'sf' },
      ...tab('t', [{ id: 'i', type: 'subflow:sf', name: '${STR}' }], { env: env('tab') }),
    ] as TestFlows);
    return rig.node('i').name;
  });
  sameOnBoth('of config nodes', async (rig) => {
    const { x: _, y: __, ...config } = showing('c');
    await rig.deploy([
      { id: 'gc', type: 'global-config', env: env('global') },
      config,
      { ...config, id: 'd', z: 't' },
      ...tab('t', [showing('n', { cfg: 'c' })], { env: env('tab') }),
    ] as unknown as TestFlows);
  });
  sameOnBoth('in the name, the wires and the type', async (rig) => {
    await rig.deploy(tab('t', [showing('n', { name: '${STR}', wires: [['${STR}']] })], { env: env('tab') }));
    return [rig.node('n').name, rig.node('n').wires];
  });
  sameOnBoth('in credentials', async (rig) => {
    await rig.deploy(
      [
        { id: 'gc', type: 'global-config', env: env('global') },
        { id: 's', type: 'secret' },
        { id: 'u', type: 'secret' },
        { id: 'p', type: 'config' },
      ] as TestFlows,
      { credentials: { s: { user: '${STR}', password: 'x${STR}', extra: '$(NUM)' } } },
    );
    return ['s', 'u', 'p'].map((id) => rig.node(id).credentials);
  });
});
