/** What a written settings file says besides its comments; what is absent is shown commented out. */
export interface SettingsTemplate {
  readonly admin?: { readonly username: string; readonly passwordHash: string };
  readonly port?: number;
  readonly credentialSecret?: string;
}

/** The text of a new `settings.js`, with comments for its reader. */
export function settingsTemplate(values: SettingsTemplate = {}): string {
  return `// Settings of Sluice. Every setting, with type and default: docs/settings.md of the package.
// This file is JavaScript; it is read when Sluice starts. A flag such as -p or -D name=value wins over it.

module.exports = {
  // ── Flow file ──────────────────────────────────────────────────────────────────────────────────────────────────

  // The file that holds the flows, in this folder.
  flowFile: 'flows.json',

  // Written over several lines, so that version control can show what changed.
  flowFilePretty: true,

  // Passwords that nodes keep are encrypted with this secret. Without it, one is made and kept in this folder.
  // Once set, keep it: without the old secret the old passwords cannot be read.
${setting(values.credentialSecret !== undefined, `credentialSecret: ${quoted(values.credentialSecret ?? 'a long random text')},`)}

  // ── Security ───────────────────────────────────────────────────────────────────────────────────────────────────

  // Who may use the editor and the administration API. Without it, everybody who reaches the address may; Sluice then
  // listens on this machine only. \`sluice hash-pw\` makes a password's hash.
  // As permissions, '*' is everything, 'read' is looking on; or single ones, such as ['flows.read', 'nodes.write'].
${setting(
  values.admin !== undefined,
  `adminAuth: {
  type: 'credentials',
  users: [
    {
      username: ${quoted(values.admin?.username ?? 'admin')},
      password: ${quoted(values.admin?.passwordHash ?? '… the output of sluice hash-pw …')},
      permissions: '*',
    },
  ],
},`,
)}

  // Guards the HTTP routes that flows serve. \`pass\` is a hash too.
  // httpNodeAuth: { user: 'user', pass: '…' },

  // HTTPS: options of Node.js's https.createServer, or a function that returns them.
  // https: {
  //   key: require('node:fs').readFileSync('privkey.pem'),
  //   cert: require('node:fs').readFileSync('cert.pem'),
  // },
  // requireHttps: true,

  // ── HTTP server ────────────────────────────────────────────────────────────────────────────────────────────────

  uiPort: process.env.PORT || ${values.port ?? 1880},

  // The address to listen on. Default: every address with adminAuth, this machine only without.
  // uiHost: '127.0.0.1',

  // Where the editor and the administration API appear, and where the HTTP routes of flows do.
  // httpAdminRoot: '/admin',
  // httpNodeRoot: '/api',

  // Folders of static files.
  // httpStatic: [{ path: '/srv/pictures', root: '/pictures/' }],

  // The largest request body.
  // apiMaxLength: '5mb',

  // ── Runtime ────────────────────────────────────────────────────────────────────────────────────────────────────

  // The report at /diagnostics, for whoever has the permission settings.read.
  diagnostics: { enabled: true, ui: true },

  // Allows stopping and starting all flows: POST /flows/state, and an entry in the editor's deploy menu.
  runtimeState: { enabled: false, ui: false },

  // The level is one of off, fatal, error, warn, info, debug, trace. With format: 'json', lines suit log collectors.
  logging: {
    console: { level: 'info', metrics: false, audit: false },
  },

  // Where flows keep values between messages. Without it, in memory only.
  // contextStorage: {
  //   default: { module: 'sqlite' },
  //   memory: { module: 'memory' },
  // },

  // What may be installed. Names may contain *.
  externalModules: {
    // palette: { allowInstall: true, allowUpload: true, allowList: ['*'], denyList: [] },
    // modules: { allowInstall: true, allowList: ['*'], denyList: [] },
  },

  // The process that runs the flows.
  engine: {
    // memoryLimitMb: 1024,
    // uncaughtErrors: 'log',
  },

  // ── Editor ─────────────────────────────────────────────────────────────────────────────────────────────────────

  // Serves no editor; the administration API stays.
  // disableEditor: true,

  editorTheme: {
    // page: { title: 'My flows' },
    // header: { title: 'My flows' },
    // tours: false,
    codeEditor: { lib: 'monaco' },
  },

  // ── Nodes ──────────────────────────────────────────────────────────────────────────────────────────────────────

  // Function nodes may use npm packages, which are installed when the flow is deployed.
  functionExternalModules: true,

  // Values and modules for the global context of flows: global.get('os').
  functionGlobalContext: {
    // os: require('node:os'),
  },
  // Does not list their names in the editor and in global.keys().
  exportGlobalContextKeys: false,

  // The longest text that the debug sidebar is sent.
  debugMaxLength: 1000,

  // Pauses before a lost connection is made again, in milliseconds.
  mqttReconnectTime: 15000,
  serialReconnectTime: 15000,
};
`;
}

/** A setting as code, or commented out. */
function setting(active: boolean, code: string): string {
  const prefix = active ? '  ' : '  // ';
  return code
    .split('\n')
    .map((line) => `${prefix}${line}`)
    .join('\n');
}

/** A string literal that no text can break out of. */
function quoted(text: string): string {
  const escaped = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'");
  return `'${escaped.replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')}'`;
}
