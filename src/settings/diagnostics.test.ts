import { describe, expect, it } from 'vitest';
import { unconfiguredSettings } from '../../test/support/unconfigured.ts';
import { diagnosticsSettings } from './diagnostics.ts';
import { compileSettings } from './settings.ts';

const report = (file: object) => diagnosticsSettings(compileSettings(file, { userDir: '/u', overrides: {} }));

describe('diagnosticsSettings', () => {
  it('has every field with its specified type where nothing is configured', () => {
    expect(report({})).toEqual(unconfiguredSettings);
  });

  it('reports numbers as they are, and secrets and paths only as SET', () => {
    const secret = 'never-to-be-seen';
    const plain = {
      disableEditor: true,
      debugMaxLength: 5,
      flowFile: 'mine.json',
      mqttReconnectTime: 1,
      serialReconnectTime: 2,
      socketReconnectTime: 3,
      socketTimeout: 4,
      tcpMsgQueueSize: 5,
      inboundWebSocketTimeout: 6,
      runtimeState: { enabled: true, ui: true },
    };
    const all = report({
      apiMaxLength: '1kb',
      ...plain,
      adminAuth: { users: [{ username: secret, password: secret }] },
      credentialSecret: secret,
      httpAdminRoot: 'admin',
      httpAdminCors: { origin: secret },
      httpNodeAuth: { user: secret, pass: secret },
      httpNodeRoot: 'nodes',
      httpNodeCors: { origin: secret },
      httpStatic: `/${secret}`,
      httpStaticRoot: secret,
      httpStaticCors: { origin: secret },
      uiHost: secret,
      uiPort: 1,
      nodesDir: `/${secret}`,
    });
    expect(all).toMatchObject({
      apiMaxLength: 1024,
      ...plain,
      adminAuth: 'SET',
      httpAdminRoot: '/admin/',
      httpAdminCors: 'SET',
      httpNodeAuth: 'SET',
      httpNodeRoot: '/nodes/',
      httpNodeCors: 'SET',
      httpStatic: 'SET',
      httpStaticRoot: 'SET',
      httpStaticCors: 'SET',
      uiHost: 'SET',
      uiPort: 'SET',
      nodesDir: 'SET',
    });
    expect(JSON.stringify(all)).not.toContain(secret);
  });

  it('names the module of every context store, through aliases too', () => {
    const contextStorage = {
      default: 'disk',
      disk: { module: 'localfilesystem', config: { dir: '/secret' } },
      own: { module: () => ({}) },
      plain: {},
    };
    expect(report({ contextStorage }).contextStorage).toEqual({
      default: { module: 'localfilesystem' },
      disk: { module: 'localfilesystem' },
      own: { module: 'custom' },
      plain: { module: 'memory' },
    });
    expect(report({ contextStorage: { a: 'b', b: 'a' } }).contextStorage).toEqual({
      a: { module: 'b' },
      b: { module: 'a' },
    });
  });

  it('reports the shapes of editorTheme whatever else is in it, without passwords in addresses', () => {
    const editorTheme = {
      palette: { catalogues: ['https://fred:pw@example.org/c.json'], theme: [{ category: 'x' }] },
      codeEditor: { lib: 'ace', options: { theme: 'vs-dark', fontSize: 14 } },
      projects: { enabled: true },
      page: { title: 'x' },
    };
    expect(report({ editorTheme }).editorTheme).toEqual({
      palette: { catalogues: ['https://example.org/c.json'], theme: [{ category: 'x' }] },
      codeEditor: { lib: 'ace', options: { theme: 'vs-dark' } },
      projects: { enabled: true, workflow: { mode: 'manual' } },
    });
  });

  it('keeps httpAdminRoot and httpNodeRoot strings where they are switched off', () => {
    expect(report({ httpAdminRoot: false, httpNodeRoot: false })).toMatchObject({
      httpAdminRoot: 'UNSET',
      httpNodeRoot: 'UNSET',
      disableEditor: true,
    });
  });
});
