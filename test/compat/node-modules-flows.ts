/** Flows in which published node modules do their main job; each is reached over HTTP at `/try/<name>`. */

const place = { z: 'try', x: 0, y: 0 };

/** `/try/<name>?v=…` → function that prepares → the node → answer with its payload. */
function route(name: string, node: object, prepare = 'msg.payload = msg.req.query.v', finish = ''): object[] {
  return [
    {
      id: `${name}-in`,
      type: 'http in',
      ...place,
      method: 'get',
      url: `/try/${name}`,
      wires: [[`${name}-before`]],
    },
    { id: `${name}-before`, type: 'function', ...place, func: `${prepare};\nreturn msg;`, wires: [[name]] },
    { ...place, wires: [[`${name}-after`]], ...node, id: name },
    {
      id: `${name}-after`,
      type: 'function',
      ...place,
      func: `${finish};\nmsg.payload = JSON.stringify(msg.payload); return msg;`,
      wires: [[`${name}-out`]],
    },
    { id: `${name}-out`, type: 'http response', ...place, wires: [] },
  ];
}

/** Remembers the last message that a node sent by itself, for `/try/<name>`. */
function watched(name: string, node: object): object[] {
  return [
    { ...place, ...node, id: name, wires: [[`${name}-keep`]] },
    { id: `${name}-keep`, type: 'function', ...place, func: `flow.set('${name}', msg.payload)`, wires: [[]] },
    ...route(`${name}-read`, {
      type: 'change',
      rules: [{ t: 'set', p: 'payload', pt: 'msg', to: name, tot: 'flow' }],
    }),
  ];
}

/** Services that a flow may speak to. */
export interface TryOptions {
  readonly redisPort?: number | undefined;
  readonly mariaDbPort?: number | undefined;
  /** Absolute path of a folder for files. */
  readonly folder: string;
}

/** The flows for all modules; those that need a service only where there is one. */
export function tryFlows({ redisPort, mariaDbPort, folder }: TryOptions): object[] {
  return [
    { id: 'try', type: 'tab', label: 'Try' },
    ...route('random', { type: 'random', low: 3, high: 5, inte: 'true', property: 'payload' }),
    ...route('smooth', {
      type: 'smooth',
      property: 'payload',
      action: 'max',
      count: 10,
      round: '',
      mult: 'single',
    }),
    ...route(
      'base64',
      { type: 'base64', property: 'payload', action: '' },
      'msg.payload = Buffer.from(msg.req.query.v)',
    ),
    ...route('moment', {
      type: 'moment',
      topic: '',
      input: 'payload',
      inputType: 'msg',
      inTz: 'Etc/UTC',
      adjAmount: '1',
      adjType: 'days',
      adjDir: 'add',
      format: 'YYYY-MM-DD dddd',
      locale: 'de',
      output: 'payload',
      outputType: 'msg',
      outTz: 'Etc/UTC',
    }),
    { id: 'db', type: 'sqlitedb', db: `${folder}/try.db`, mode: 'RWC' },
    ...route(
      'sqlite',
      { type: 'sqlite', mydb: 'db', sqlquery: 'msg.topic', sql: '' },
      'msg.topic = "SELECT \'" + msg.req.query.v + "\' || \'d\' AS word"',
    ),
    ...watched('cron', {
      type: 'cronplus',
      outputField: 'payload',
      timeZone: '',
      persistDynamic: false,
      commandResponseMsgOutput: 'output1',
      outputs: 1,
      options: [
        {
          name: 's',
          topic: 't',
          payloadType: 'str',
          payload: 'tick',
          expressionType: 'cron',
          expression: '* * * * * *',
          location: '',
          offset: '0',
          solarType: 'all',
          solarEvents: 'sunrise',
        },
      ],
    }),
    ...watched('sun', {
      type: 'sunrise',
      lat: '50',
      lon: '8',
      start: 'sunrise',
      end: 'sunset',
      soff: 0,
      eoff: 0,
      sendAtStartup: true,
    }),
    {
      id: 'uib',
      type: 'uibuilder',
      ...place,
      url: 'tryuib',
      templateFolder: 'blank',
      fwdInMessages: false,
      allowScripts: false,
      allowStyles: false,
      copyIndex: true,
      showfolder: false,
      sourceFolder: 'src',
      wires: [[], []],
    },
    ...dashboard(),
    ...dashboard2(),
    ...(redisPort === undefined
      ? []
      : [
          {
            id: 'rc',
            type: 'redis-config',
            name: 'Local',
            options: JSON.stringify({ host: '127.0.0.1', port: redisPort }),
            cluster: false,
            optionsType: 'json',
          },
          ...route(
            'redis',
            {
              type: 'redis-command',
              server: 'rc',
              command: 'incr',
              name: '',
              topic: '',
              params: '[]',
              paramsType: 'json',
              payloadType: 'json',
            },
            'msg.topic = msg.req.query.v; msg.payload = ""',
          ),
        ]),
    ...(mariaDbPort === undefined
      ? []
      : [
          {
            id: 'my',
            type: 'MySQLdatabase',
            name: '',
            host: '127.0.0.1',
            port: String(mariaDbPort),
            db: '',
            tz: '',
            charset: 'UTF8',
            credentials: { user: 'root', password: '' },
          },
          ...route(
            'mysql',
            { type: 'mysql', mydb: 'my' },
            'msg.topic = "SELECT ? + 1 AS n"; msg.payload = [Number(msg.req.query.v)]',
          ),
        ]),
  ];
}

/** A page of node-red-dashboard with a gauge, set by `/try/gauge?v=…`. */
function dashboard(): object[] {
  return [
    { id: 'd1-tab', type: 'ui_tab', name: 'Try', icon: 'dashboard', disabled: false, hidden: false },
    { id: 'd1-group', type: 'ui_group', name: 'Group', tab: 'd1-tab', order: 1, disp: true, width: '6' },
    {
      id: 'd1-base',
      type: 'ui_base',
      theme: { name: 'theme-light' },
      site: { name: 'Try', sizes: { sx: 48, sy: 48, gx: 6, gy: 6, cx: 6, cy: 6, px: 0, py: 0 } },
    },
    {
      id: 'd1-gauge',
      type: 'ui_gauge',
      ...place,
      name: '',
      group: 'd1-group',
      order: 1,
      width: 0,
      height: 0,
      gtype: 'gage',
      title: 'G',
      label: 'u',
      format: '{{value}}',
      min: 0,
      max: 100,
      colors: ['#00b500', '#e6e600', '#ca3838'],
      seg1: '',
      seg2: '',
      wires: [],
    },
    { id: 'gauge-in', type: 'http in', ...place, method: 'get', url: '/try/gauge', wires: [['gauge-set']] },
    {
      id: 'gauge-set',
      type: 'function',
      ...place,
      func: 'msg.payload = Number(msg.req.query.v); return msg;',
      wires: [['d1-gauge', 'd2-gauge', 'gauge-out']],
    },
    { id: 'gauge-out', type: 'http response', ...place, statusCode: '200', wires: [] },
  ];
}

/** The same with @flowfuse/node-red-dashboard. */
function dashboard2(): object[] {
  return [
    {
      id: 'd2-base',
      type: 'ui-base',
      name: 'Try',
      path: '/dashboard',
      appIcon: '',
      includeClientData: true,
      acceptsClientConfig: ['ui-notification', 'ui-control'],
      showPathInSidebar: false,
      headerContent: 'page',
      navigationStyle: 'default',
      titleBarStyle: 'default',
    },
    {
      id: 'd2-theme',
      type: 'ui-theme',
      name: 'Theme',
      colors: {
        surface: '#ffffff',
        primary: '#0094ce',
        bgPage: '#eeeeee',
        groupBg: '#ffffff',
        groupOutline: '#cccccc',
      },
      sizes: {
        density: 'default',
        pagePadding: '12px',
        groupGap: '12px',
        groupBorderRadius: '4px',
        widgetGap: '12px',
      },
    },
    {
      id: 'd2-page',
      type: 'ui-page',
      name: 'Page',
      ui: 'd2-base',
      path: '/page',
      icon: 'home',
      layout: 'grid',
      theme: 'd2-theme',
      breakpoints: [{ name: 'Default', px: '0', cols: '3' }],
      order: 1,
      className: '',
      visible: 'true',
      disabled: 'false',
    },
    {
      id: 'd2-group',
      type: 'ui-group',
      name: 'Group',
      page: 'd2-page',
      width: '6',
      height: '1',
      order: 1,
      showTitle: true,
      className: '',
      visible: 'true',
      disabled: 'false',
      groupType: 'default',
    },
    {
      id: 'd2-gauge',
      type: 'ui-gauge',
      ...place,
      name: 'G',
      group: 'd2-group',
      order: 1,
      value: 'payload',
      valueType: 'msg',
      width: 3,
      height: 3,
      gtype: 'gauge-half',
      gstyle: 'needle',
      title: 'gauge',
      alwaysShowTitle: false,
      floatingTitlePosition: 'top-left',
      units: 'units',
      icon: '',
      prefix: '',
      suffix: '',
      segments: [{ from: '0', color: '#5cd65c' }],
      min: 0,
      max: 100,
      sizeThickness: 16,
      sizeGap: 4,
      sizeKeyThickness: 8,
      styleRounded: true,
      styleGlow: false,
      className: '',
      wires: [[]],
    },
  ];
}
