import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { coreLocales, findCorePackage } from '../../modules/core.ts';
import type { NodeSet } from '../../modules/node-module.ts';
import { Catalogues } from './catalogues.ts';
import { preferredLanguage } from './language.ts';

const folder = mkdtempSync(join(tmpdir(), 'sluice-catalogues-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function write(language: string, texts: object): void {
  mkdirSync(join(folder, 'locales', language), { recursive: true });
  writeFileSync(join(folder, 'locales', language, 'lower.json'), `\uFEFF${JSON.stringify(texts)}`);
}
write('en-US', {
  hello: 'Hello __name__',
  only: 'English only',
  empty: 'not empty',
  node: '__count__ node',
  node_plural: '__count__ nodes',
  deep: { er: 'deep: $t(acme/set:only)' },
});
write('de', { hello: 'Hallo __name__', empty: '', node: '__count__ Knoten' });
write('de-AT', { hello: 'Servus __name__' });

const set: NodeSet = {
  id: 'acme/set',
  name: 'set',
  module: 'acme',
  version: '1.0.0',
  kind: 'nodes',
  file: join(folder, 'lower.js'),
  types: [],
  enabled: true,
  local: true,
  namespace: 'acme/set',
  locales: join(folder, 'locales'),
};

function texts(lang?: string) {
  const catalogues = new Catalogues({ lang, coreLocales: coreLocales(findCorePackage()) });
  catalogues.register(set);
  return catalogues.translate;
}

describe('the texts of node modules', () => {
  it('are filled in', () => {
    const _ = texts('en-US');
    expect(_('acme/set:hello', { name: '<b>Ann</b>' })).toBe('Hello <b>Ann</b>');
    expect(_('acme/set:deep.er')).toBe('deep: English only');
  });

  it('have plurals', () => {
    const _ = texts('en-US');
    expect([0, 1, 2].map((count) => _('acme/set:node', { count }))).toEqual(['0 nodes', '1 node', '2 nodes']);
    expect(texts('de')('acme/set:node', { count: 2 })).toBe('2 Knoten');
  });

  it('come in the language, then in its base, then in English', () => {
    const _ = texts('de-AT');
    expect(_('acme/set:hello', { name: 'Ann' })).toBe('Servus Ann');
    expect(_('acme/set:empty')).toBe('not empty');
    expect(_('acme/set:only')).toBe('English only');
    expect(texts('de')('acme/set:hello', { name: 'Ann' })).toBe('Hallo Ann');
    expect(texts('xx')('acme/set:hello', { name: 'Ann' })).toBe('Hello Ann');
  });

  it('are the key where there is none, or what the caller says', () => {
    const _ = texts('en-US');
    expect(_('acme/set:no.such')).toBe('no.such');
    expect(_('nowhere:no.such')).toBe('no.such');
    expect(_('no.such')).toBe('no.such');
    expect(_('acme/set:no.such', 'instead')).toBe('instead');
    expect(_('acme/set:no.such', { defaultValue: 'instead __x__', x: 1 })).toBe('instead 1');
    expect(_(['acme/set:no.such', 'acme/set:only'])).toBe('English only');
  });

  it('include those of the core', () => {
    expect(texts('en-US')('node-red:tcpin.status.connections', { count: 2 })).toBe('2 connections');
  });

  it('are read again where a set is registered again', () => {
    const catalogues = new Catalogues({ lang: 'fr', coreLocales: folder });
    catalogues.register(set);
    expect(catalogues.translate('acme/set:hello', { name: 'Ann' })).toBe('Hello Ann');
    write('fr', { hello: 'Salut __name__' });
    catalogues.register(set);
    expect(catalogues.translate('acme/set:hello', { name: 'Ann' })).toBe('Salut Ann');
  });
});

describe('the preferred language', () => {
  it.each([
    ['de', { LANG: 'fr_FR' }, 'de'],
    [undefined, { LC_ALL: 'ja_JP.UTF-8', LANG: 'fr_FR' }, 'ja'],
    [undefined, { LC_ALL: '', LANG: 'fr_FR' }, 'fr'],
    [undefined, { LANG: 'C.UTF-8' }, 'en-US'],
    [undefined, { LANG: 'POSIX' }, 'en-US'],
    [undefined, {}, 'en-US'],
  ])('%s with %o is %s', (setting, environment, language) => {
    expect(preferredLanguage(setting, environment)).toBe(language);
  });
});
