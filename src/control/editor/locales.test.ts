import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { EditorLocales } from './locales.ts';
import { clientFolder } from './routes.ts';

const locales = new EditorLocales(join(clientFolder, 'locales'));
const deployIn = async (language: string) =>
  ((await locales.read('editor', language)) as { deploy: { deploy: string } }).deploy.deploy;

describe('EditorLocales', () => {
  it('gives a language, its base, or English', async () => {
    expect(await deployIn('de')).toBe('Übernahme (deploy)');
    expect(await deployIn('de-AT')).toBe(await deployIn('de'));
    expect(await deployIn('xx')).toBe('Deploy');
    expect(await deployIn('../../package')).toBe('Deploy');
  });

  it('answers as well when a language that there is not is asked for twice at once', async () => {
    const all = await Promise.all([1, 2, 3].map(() => deployIn('tlh')));
    expect(all).toEqual(['Deploy', 'Deploy', 'Deploy']);
  });
});
