import { describe, expect, it } from 'vitest';
import { compileSettings, type Settings, SettingsError } from './settings.ts';

const source = { userDir: '/home/fred/.sluice', overrides: {} };
const compile = (file: unknown, overrides = {}): Settings => compileSettings(file, { ...source, overrides });

function problemsOf(file: unknown): SettingsError['problems'] {
  try {
    compile(file);
  } catch (error) {
    if (error instanceof SettingsError) return error.problems;
    throw error;
  }
  return [];
}

describe('compileSettings', () => {
  it('fills in the defaults', () => {
    const settings = compile({});
    expect(settings).toMatchObject({
      userDir: '/home/fred/.sluice',
      flowFile: 'flows.json',
      uiPort: 1880,
      httpAdminRoot: '/',
      httpNodeRoot: '/',
      apiMaxLength: 5 * 1024 * 1024,
      debugMaxLength: 1000,
      mqttReconnectTime: 15_000,
      nodesDir: [],
      safeMode: false,
      externalModules: { palette: { allowInstall: true, allowList: ['*'], installScripts: 'native' } },
      engine: { loadTimeoutMs: 30_000 },
    });
    expect(settings.adminAuth).toBeUndefined();
    expect(settings.uiHost).toBeUndefined();
  });

  it('does not serve the diagnostics report unless the file says so', () => {
    expect(compile({}).diagnostics.enabled).toBe(false);
    expect(compile({ diagnostics: {} }).diagnostics.enabled).toBe(false);
    expect(compile({ diagnostics: { enabled: true } }).diagnostics.enabled).toBe(true);
  });

  it.each([
    ['1880', 1880],
    [0, 0],
  ])('reads the port %j as %d, as environment variables are text', (uiPort, expected) => {
    expect(compile({ uiPort }).uiPort).toBe(expected);
  });

  it.each([
    ['5mb', 5 * 2 ** 20],
    ['1.5kb', 1536],
    ['100', 100],
    [2048, 2048],
  ])('reads the size %j as %d bytes', (apiMaxLength, expected) => {
    expect(compile({ apiMaxLength }).apiMaxLength).toBe(expected);
  });

  it.each([
    ['admin', '/admin/'],
    ['/admin', '/admin/'],
    ['//admin//', '/admin/'],
    ['', '/'],
    [false, false],
  ])('reads the root %j as %j', (httpAdminRoot, expected) => {
    expect(compile({ httpAdminRoot }).httpAdminRoot).toBe(expected);
  });

  it('takes httpRoot for both roots, and false for none at all', () => {
    expect(compile({ httpRoot: '/a', httpNodeRoot: '/b' })).toMatchObject({
      httpAdminRoot: '/a/',
      httpNodeRoot: '/b/',
    });
    expect(compile({ httpRoot: false, httpNodeRoot: '/b' })).toMatchObject({
      httpAdminRoot: false,
      httpNodeRoot: false,
      disableEditor: true,
    });
  });

  it('takes one static folder or several, and mounts them below httpStaticRoot', () => {
    expect(compile({ httpStatic: '/srv' }).httpStatic).toEqual([{ path: '/srv', root: '/' }]);
    const several = { httpStaticRoot: '/s', httpStatic: ['/a', { path: '/b', root: 'img' }] };
    expect(compile(several).httpStatic).toEqual([
      { path: '/a', root: '/s/' },
      { path: '/b', root: '/s/img/' },
    ]);
    expect(compile({ httpStatic: '' }).httpStatic).toBeUndefined();
  });

  it('takes one user, several or a function, and permissions in every spelling', () => {
    const one = compile({
      adminAuth: { users: { username: 'a', password: 'x', permissions: '*', image: 'i' } },
    });
    expect(one.adminAuth?.users).toEqual([{ username: 'a', password: 'x', permissions: ['*'], image: 'i' }]);
    const several = compile({
      adminAuth: {
        users: [
          { username: 'a', permissions: ['flows.read', 'nodes.write'] },
          { username: 'b', permissions: 'flows.read nodes.read' },
          { username: 'c' },
        ],
      },
    });
    expect(several.adminAuth?.users).toEqual([
      { username: 'a', permissions: ['flows.read', 'nodes.write'] },
      { username: 'b', permissions: ['flows.read', 'nodes.read'] },
      { username: 'c', permissions: [] },
    ]);
    const users = () => null;
    expect(compile({ adminAuth: { users } }).adminAuth?.users).toBe(users);
  });

  it('lets the members of adminAuth.module win', () => {
    const adminAuth = { sessionExpiryTime: 1, module: { sessionExpiryTime: 2 } };
    expect(compile({ adminAuth }).adminAuth?.sessionExpiryTime).toBe(2);
  });

  it('doubts names that are nearly those of settings, and leaves others alone', () => {
    const { warnings } = compile({
      adminAut: {},
      uiPrt: 1,
      ui: { path: 'ui' },
      myOwnSetting: 1,
      editorTheme: { porjects: {}, mine: 1 },
      adminAuth: { user: [], image: 'x', tokenHaeder: 'x' },
    });
    expect(warnings).toEqual([
      'There is no setting adminAut; did you mean adminAuth?',
      'There is no setting uiPrt; did you mean uiPort?',
      'There is no setting editorTheme.porjects; did you mean projects?',
      'There is no setting adminAuth.tokenHaeder; did you mean tokenHeader?',
    ]);
  });

  it('doubts passwords that are no hashes', () => {
    const users = [
      { username: 'a', password: 'plain' },
      { username: 'b', password: '$2b$08$YPQLSs5zuRmPVtheIMruZOiRmwFnpa.uAJNSVTKhPnRwd7S4sp6wi' },
      { username: 'c', password: '$argon2id$v=19$m=1,t=1,p=1$x$y' },
      { username: 'd' },
    ];
    const { warnings } = compile({ adminAuth: { users }, httpNodeAuth: { user: 'x', pass: 'secret' } });
    expect(warnings).toEqual([
      expect.stringMatching(/^The setting adminAuth\.users\[0\]\.password is no hash/),
      expect.stringMatching(/^The setting httpNodeAuth\.pass is no hash/),
    ]);
    expect(warnings.join()).not.toMatch(/plain|secret/);
    expect(compile({ adminAuth: { users, authenticate: () => null } }).warnings).toEqual([]);
  });

  it('never leaves the door open that httpAdminAuth shut', () => {
    const settings = compile({ httpAdminAuth: { user: 'fred', pass: 'hash' } });
    expect(settings.adminAuth?.users).toEqual([{ username: 'fred', password: 'hash', permissions: ['*'] }]);
    expect(settings.warnings.join()).toContain('httpAdminAuth');
    expect(compile({ httpAuth: { user: 'a', pass: 'b' } })).toMatchObject({
      adminAuth: { users: [{ username: 'a' }] },
      httpNodeAuth: { user: 'a', pass: 'b' },
    });
  });

  it.each(['adminAuth', 'https', 'httpNodeAuth', 'httpNodeCors', 'contextStorage'])(
    'takes false for a %s that is switched off',
    (name) => {
      expect(compile({ [name]: false })).not.toHaveProperty(name);
    },
  );

  it('translates old spellings of what may be installed', () => {
    expect(compile({ editorTheme: { palette: { upload: false } } }).externalModules.palette.allowUpload).toBe(
      false,
    );
    expect(
      compile({ editorTheme: { palette: { editable: false } } }).externalModules.palette.allowInstall,
    ).toBe(false);
    expect(
      compile({ externalModules: { palette: { upload: false } } }).externalModules.palette.allowUpload,
    ).toBe(false);
    expect(compile({ autoInstallModules: true }).externalModules.autoInstall).toBe(true);
    const both = { autoInstallModules: true, externalModules: { autoInstall: false } };
    expect(compile(both).externalModules.autoInstall).toBe(false);
  });

  it('keeps unknown settings and functions for node modules', () => {
    const middleware = () => {};
    const os = { hostname: () => 'h' };
    const settings = compile({
      myNode: { key: 1 },
      httpNodeMiddleware: middleware,
      functionGlobalContext: { os },
    });
    expect(settings.raw['myNode']).toEqual({ key: 1 });
    expect(settings.httpNodeMiddleware).toEqual([middleware]);
    expect(settings.functionGlobalContext['os']).toBe(os);
    expect(settings.raw['httpNodeMiddleware']).toBe(middleware);
  });

  it('shows node modules the normalised roots, port, host and user directory', () => {
    expect(compile({ httpNodeRoot: 'api', uiPort: '80' }).raw).toMatchObject({
      httpNodeRoot: '/api/',
      httpAdminRoot: '/',
      uiPort: 80,
      uiHost: '127.0.0.1',
      userDir: '/home/fred/.sluice',
    });
  });

  it('denies everything else where only what is allowed is listed', () => {
    const listsOf = (rules: object) => compile({ externalModules: { palette: rules, modules: rules } });
    const { palette, modules } = listsOf({ allowList: ['a'], allowUpdateList: [] }).externalModules;
    expect(palette).toMatchObject({ denyList: ['*'], denyUpdateList: ['*'] });
    expect(modules).toMatchObject({ allowList: ['a'], denyList: ['*'] });
    for (const rules of [
      { allowList: ['a'], denyList: [] },
      { allowList: ['*'] },
      { allowInstall: true },
      {},
    ])
      expect(listsOf(rules).externalModules.palette.denyList).toEqual([]);
    const fromCommand = compile({}, { 'externalModules.palette.allowList': ['a'] });
    expect(fromCommand.externalModules.palette.denyList).toEqual(['*']);
  });

  it('lets the command line win, by dotted name, and leaves the file as it is', () => {
    const file = { externalModules: { palette: { allowList: ['a'], denyList: ['b'] } }, uiPort: 1 };
    const settings = compile(file, { 'externalModules.palette.allowList': ['c'], uiPort: 2, 'my.own': true });
    expect(settings.externalModules.palette).toMatchObject({ allowList: ['c'], denyList: ['b'] });
    expect(settings.uiPort).toBe(2);
    expect(settings.raw['my']).toEqual({ own: true });
    expect(file.externalModules.palette.allowList).toEqual(['a']);
    expect(compileSettings({ flowFile: 'a.json' }, { ...source, flowFile: 'b.json' }).flowFile).toBe(
      'b.json',
    );
  });

  it('knows which settings are configured', () => {
    expect(compile({ uiPort: 1 }).configured.has('uiPort')).toBe(true);
    expect(compile({}).configured.has('uiPort')).toBe(false);
  });

  it('warns of a storage module', () => {
    expect(compile({ storageModule: {} }).warnings.join()).toContain('storageModule');
  });

  it('leaves out log destinations without a handler, and keeps a console', () => {
    expect(Object.keys(compile({ logging: { other: { level: 'info' } } }).logging)).toEqual(['console']);
    const handler = () => () => {};
    expect(compile({ logging: { mine: { handler } } }).logging).toEqual({
      mine: { level: 'info', metrics: false, audit: false, format: 'text', handler },
    });
  });

  it.each([
    [{ uiPort: 'x' }, 'uiPort', '"x"', 'a whole number from 0 to 65535'],
    [{ uiPort: 70_000 }, 'uiPort', '70000', 'a whole number from 0 to 65535'],
    [{ flowFile: () => 1 }, 'flowFile', 'a function', 'a string'],
    [{ apiMaxLength: '5 apples' }, 'apiMaxLength', '"5 apples"', 'a number of bytes, or text such as "5mb"'],
    [{ https: 5 }, 'https', '5', 'an object, or a function, or false'],
    [{ adminAuth: { users: [{ username: 1 }] } }, 'adminAuth.users[0].username', '1', 'a string'],
    [{ adminAuth: { users: [{}] } }, 'adminAuth.users[0].username', 'nothing', 'a string'],
    [{ httpNodeAuth: { user: 'a' } }, 'httpNodeAuth.pass', 'nothing', 'a string'],
    [
      { logging: { console: { level: 'loud' } } },
      'logging.console.level',
      '"loud"',
      expect.stringContaining('"info"'),
    ],
    [
      { externalModules: { palette: { allowList: [1] } } },
      'externalModules.palette.allowList[0]',
      '1',
      'a string',
    ],
    [{ functionGlobalContext: [1, 2] }, 'functionGlobalContext', 'an array of 2', 'an object, or false'],
    [{ engine: { crashLimit: 0 } }, 'engine.crashLimit', '0', 'a whole number, at least 1'],
  ])('names what is wrong with %j', (file, setting, found, expected) => {
    expect(problemsOf(file)).toEqual([{ setting, found, expected }]);
  });

  it('names every problem, a line each, with the file', () => {
    const wrong = () => compileSettings({ uiPort: 'x', lang: 5 }, { ...source, file: '/x/settings.js' });
    expect(wrong).toThrow(
      'setting uiPort: found "x", expected a whole number from 0 to 65535 (in /x/settings.js)\n' +
        'setting lang: found 5, expected a string (in /x/settings.js)',
    );
  });

  it('never quotes a secret', () => {
    expect(JSON.stringify(problemsOf({ credentialSecret: 987_654 }))).not.toContain('987654');
    expect(
      JSON.stringify(problemsOf({ adminAuth: { users: [{ username: 'a', password: 987_654 }] } })),
    ).not.toContain('987654');
  });

  it('refuses a file that exports no object', () => {
    expect(() => compile('text')).toThrow(SettingsError);
  });
});
