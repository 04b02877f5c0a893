import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { compileSettings } from '../settings/settings.ts';
import { settingsTemplate } from './settings-template.ts';

function settingsOf(text: string) {
  const module = { exports: {} };
  runInNewContext(text, { module, process: { env: {} }, require: () => ({ readFileSync: () => 'pem' }) });
  // What a vm context makes has other prototypes; plain values have none of that.
  return compileSettings(JSON.parse(JSON.stringify(module.exports)), { userDir: '/u', overrides: {} });
}

describe('settingsTemplate', () => {
  it('is a settings file with diagnostics enabled and adminAuth commented out', () => {
    const text = settingsTemplate();
    const settings = settingsOf(text);
    expect(settings.diagnostics).toEqual({ enabled: true, ui: true });
    expect(settings.adminAuth).toBeUndefined();
    expect(text).toContain('// adminAuth: {');
    expect(text).toContain("// credentialSecret: '");
    expect(settings.flowFilePretty).toBe(true);
    expect(settings.uiPort).toBe(1880);
  });

  it('holds what it is given, whatever characters it has', () => {
    const awkward = '\'"\\`$\n\u2028*/';
    const settings = settingsOf(
      settingsTemplate({
        admin: { username: awkward, passwordHash: '$argon2id$x' },
        port: 81,
        credentialSecret: awkward,
      }),
    );
    expect(settings.adminAuth?.users).toEqual([
      { username: awkward, password: '$argon2id$x', permissions: ['*'] },
    ]);
    expect(settings.credentialSecret).toBe(awkward);
    expect(settings.uiPort).toBe(81);
  });

  it('is right also where every comment of one setting is removed', () => {
    const uncommented = settingsTemplate().replace(
      /^ {2}\/\/ (?=(?: {2,}|[a-z]\w*: |\],?$|\},?$|\{$))/gm,
      '  ',
    );
    const settings = settingsOf(uncommented);
    expect(settings.adminAuth?.users).toMatchObject([{ username: 'admin', permissions: ['*'] }]);
    expect(settings.httpAdminRoot).toBe('/admin/');
    expect(settings.contextStorage).toMatchObject({ default: { module: 'sqlite' } });
  });
});
