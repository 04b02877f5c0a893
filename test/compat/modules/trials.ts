import { portOf, type Service } from '../../support/services.ts';
import { dashboard, dashboard2, place, route, watched } from './flows.ts';

/** A published node module, and how it is shown to work. */
export interface Trial {
  readonly module: string;
  /** In words, for the table. */
  readonly tried: string;
  /** What it needs to speak to. */
  readonly needs?: Service;
  /** Nodes on the tab `try`, and configuration nodes. */
  readonly flows?: (folder: string) => readonly object[];
  /** A path below `/try/`, and what it answers at last. */
  readonly answers?: readonly [path: string, answer: RegExp];
  /** A page, and, where it has a gauge, the path below `/try/` that sets it. */
  readonly page?: { readonly path: string; readonly gauge?: string };
}

const onlyLoaded = (module: string, without: string): Trial => ({
  module,
  tried: `loaded; ${without} is not at hand`,
});

/** Modules that compile native code. */
export const native: readonly Trial[] = [
  {
    module: 'node-red-node-sqlite',
    tried: 'compiled; an SQL query in a database file',
    flows: (folder) => [
      { id: 'db', type: 'sqlitedb', db: `${folder}/try.db`, mode: 'RWC' },
      ...route(
        'sqlite',
        { type: 'sqlite', mydb: 'db', sqlquery: 'msg.topic', sql: '' },
        'msg.topic = "SELECT \'" + msg.req.query.v + "\' || \'d\' AS word"',
      ),
    ],
    answers: ['sqlite?v=wor', /^\[{"word":"word"}\]$/],
  },
  onlyLoaded('node-red-node-serialport', 'a serial port'),
];

/** Modules that work on messages or speak to a service. */
export const messages: readonly Trial[] = [
  {
    module: 'node-red-node-random',
    tried: 'a random number between two',
    flows: () => route('random', { type: 'random', low: 3, high: 5, inte: 'true', property: 'payload' }),
    answers: ['random', /^[345]$/],
  },
  {
    module: 'node-red-node-smooth',
    tried: 'the largest of several values',
    flows: () =>
      route('smooth', {
        type: 'smooth',
        property: 'payload',
        action: 'max',
        count: 10,
        round: '',
        mult: 'single',
      }),
    answers: ['smooth?v=5', /^5$/],
  },
  {
    module: 'node-red-node-base64',
    tried: 'a buffer encoded',
    flows: () =>
      route(
        'base64',
        { type: 'base64', property: 'payload', action: '' },
        'msg.payload = Buffer.from(msg.req.query.v)',
      ),
    answers: ['base64?v=hello', /^"aGVsbG8="$/],
  },
  {
    module: 'node-red-node-suncalc',
    tried: 'whether it is day, told at start',
    flows: () =>
      watched('sun', {
        type: 'sunrise',
        lat: '50',
        lon: '8',
        start: 'sunrise',
        end: 'sunset',
        soff: 0,
        eoff: 0,
        sendAtStartup: true,
      }),
    answers: ['sun-read', /^[01]$/],
  },
  onlyLoaded('node-red-node-email', 'a mail server'),
  {
    module: 'node-red-node-mysql',
    tried: 'a prepared SQL query to MariaDB',
    needs: 'MariaDB',
    flows: () => [
      {
        id: 'my',
        type: 'MySQLdatabase',
        name: '',
        host: '127.0.0.1',
        port: String(portOf('MariaDB')),
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
    ],
    answers: ['mysql?v=41', /^\[{"n":42}\]$/],
  },
  {
    module: 'node-red-contrib-redis',
    tried: 'a value kept in Redis',
    needs: 'Redis',
    flows: () => [
      {
        id: 'rc',
        type: 'redis-config',
        name: 'Local',
        options: JSON.stringify({ host: '127.0.0.1', port: portOf('Redis') }),
        cluster: false,
        optionsType: 'json',
      },
      ...route(
        'redis',
        {
          type: 'redis-command',
          server: 'rc',
          command: 'set',
          name: '',
          topic: '',
          params: '[]',
          paramsType: 'json',
          payloadType: 'json',
        },
        'msg.topic = msg.req.query.v; msg.payload = ["x", "EX", "60"]',
      ),
    ],
    answers: ['redis?v=sluice:trial', /^"OK"$/],
  },
  {
    module: 'node-red-contrib-moment',
    tried: 'a date, a day later, in German',
    flows: () =>
      route('moment', {
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
    answers: ['moment?v=2024-01-01', /^"2024-01-02 Dienstag"$/],
  },
  {
    module: 'node-red-contrib-cron-plus',
    tried: 'a message every second',
    flows: () =>
      watched('cron', {
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
    answers: ['cron-read', /^"tick"$/],
  },
  onlyLoaded('node-red-contrib-influxdb', 'InfluxDB'),
  onlyLoaded('node-red-contrib-mongodb4', 'MongoDB'),
  onlyLoaded('node-red-contrib-telegrambot', 'Telegram'),
];

/** Modules with pages for browsers. */
export const pages: readonly Trial[] = [
  {
    module: 'node-red-contrib-uibuilder',
    tried: 'its page, opened in a browser',
    flows: () => [
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
    ],
    page: { path: '/tryuib/' },
  },
  {
    module: 'node-red-dashboard',
    tried: 'a page with a gauge that moves, in a browser',
    flows: dashboard,
    page: { path: '/ui/', gauge: 'd1' },
  },
  {
    module: '@flowfuse/node-red-dashboard',
    tried: 'a page with a gauge that moves, in a browser',
    flows: dashboard2,
    page: { path: '/dashboard/page', gauge: 'd2' },
  },
];
