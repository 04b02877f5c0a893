/** Parts of flows in which published node modules do their main job; each is reached over HTTP at `/try/<name>`. */

export const place = { z: 'try', x: 0, y: 0 };

/** `/try/<name>?v=…` → function that prepares → the node → answer with its payload. */
export function route(
  name: string,
  node: object,
  prepare = 'msg.payload = msg.req.query.v',
  finish = '',
): object[] {
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
export function watched(name: string, node: object): object[] {
  return [
    { ...place, ...node, id: name, wires: [[`${name}-keep`]] },
    { id: `${name}-keep`, type: 'function', ...place, func: `flow.set('${name}', msg.payload)`, wires: [[]] },
    ...route(`${name}-read`, {
      type: 'change',
      rules: [{ t: 'set', p: 'payload', pt: 'msg', to: name, tot: 'flow' }],
    }),
  ];
}

/** A page of node-red-dashboard with a gauge, set by `/try/d1?v=…`. */
export function dashboard(): object[] {
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
    ...setter('d1'),
  ];
}

/** The same with @flowfuse/node-red-dashboard, set by `/try/d2?v=…`. */
export function dashboard2(): object[] {
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
    ...setter('d2'),
  ];
}

/** `/try/<name>?v=…` → the node `<name>-gauge`. */
function setter(name: string): object[] {
  const func = 'msg.payload = Number(msg.req.query.v); return msg;';
  return [
    {
      id: `${name}-in`,
      type: 'http in',
      ...place,
      method: 'get',
      url: `/try/${name}`,
      wires: [[`${name}-set`]],
    },
    { id: `${name}-set`, type: 'function', ...place, func, wires: [[`${name}-gauge`, `${name}-out`]] },
    { id: `${name}-out`, type: 'http response', ...place, statusCode: '200', wires: [] },
  ];
}
