import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { silentLogger } from '../../logging/logger.ts';
import { compileSettings } from '../../settings/settings.ts';
import { NodeCatalogue } from './catalogue.ts';
import { Icons } from './icons.ts';
import { preferredLanguage } from './language.ts';
import { Messages } from './messages.ts';
import { Templates } from './templates.ts';

let userDir: string;
let catalogue: NodeCatalogue;

const script = (attributes: string, text: string) =>
  `<script type="text/html" ${attributes}>${text}</script>`;

beforeEach(async () => {
  userDir = mkdtempSync(join(tmpdir(), 'sluice-nodes-'));
  const write = (path: string, text: string) => {
    const file = join(userDir, 'node_modules/@acme/surf', path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  };
  const section = {
    nodes: { board: 'nodes/board.js', bare: 'nodes/bare.js' },
    plugins: { wave: 'plugins/wave.html', code: 'plugins/code.js' },
  };
  write('package.json', JSON.stringify({ name: '@acme/surf', version: '1.2.3', 'node-red': section }));
  write('nodes/board.js', '');
  write(
    'nodes/board.html',
    `${script('data-template-name="board"', 'form')}${script('data-help-name="board"', 'help')}`,
  );
  write('nodes/locales/de/board.html', script('data-help-name="board"', 'Hilfe'));
  write('nodes/locales/de/board.json', '{"board":{"wave":"Welle","wave_plural":"Wellen"}}');
  write('nodes/locales/en-US/board.json', '{"board":{"wave":"wave","surf":"surf"}}');
  write('nodes/bare.js', '');
  write('nodes/icons/board.svg', '<svg/>');
  write('nodes/icons/board.png', '');
  write('nodes/icons/other.gif', '');
  write('nodes/icons/readme.md', '');
  write('plugins/wave.html', '<b>wave</b>');
  write('plugins/code.js', '');
  const settings = compileSettings({}, { userDir, overrides: {} });
  catalogue = new NodeCatalogue({ settings, log: silentLogger });
  await catalogue.load();
});
afterEach(() => rmSync(userDir, { recursive: true, force: true }));

/** A set's part of the page: from its marker to the next. */
const partOf = (page: string, id: string) =>
  page.split(`[red-module:${id}] --- -->\n`)[1]?.split('\n<!-- --- [')[0];

describe('templates', () => {
  it('hold every set after its marker, with help in the language, its base or English', async () => {
    const templates = new Templates(catalogue);
    const german = String(await templates.nodes('de-AT'));
    expect(german.startsWith('\n<!-- --- [red-module:node-red/junction] --- -->\n')).toBe(true);
    expect(partOf(german, '@acme/surf/board')).toBe(
      `${script('data-template-name="board"', 'form')}${script('data-help-name="board"', 'Hilfe')}`,
    );
    expect(partOf(german, 'node-red/inject')).toContain('data-help-name="inject"');
    const french = String(await templates.nodes('fr'));
    expect(partOf(french, '@acme/surf/board')).toContain('>help<');
    expect(partOf(french, 'node-red/inject')).not.toBe(partOf(german, 'node-red/inject'));
  });

  it('leave out disabled and failed sets, and come back with them', async () => {
    const templates = new Templates(catalogue);
    const set = catalogue.set('@acme/surf/board');
    if (!set) throw new Error('no set');
    await catalogue.setEnabled([set], false);
    expect(String(await templates.nodes('en-US'))).not.toContain('@acme/surf/board');
    expect(await templates.node('@acme/surf/board', 'en-US')).toContain('form');
    await catalogue.setEnabled([set], true);
    expect(String(await templates.nodes('en-US'))).toContain('@acme/surf/board');
    catalogue.record({ id: set.id, loaded: false, err: 'it threw', types: [], credentials: {}, plugins: [] });
    expect(String(await templates.nodes('en-US'))).not.toContain('@acme/surf/board');
  });

  it('hold what the code of a set made', async () => {
    const status = { id: '@acme/surf/bare', loaded: true, types: ['sf'], credentials: {}, plugins: [] };
    catalogue.record({ ...status, template: '<b>made</b>' });
    const page = String(await new Templates(catalogue).nodes('en-US'));
    expect(partOf(page, '@acme/surf/bare')).toBe('<b>made</b>');
  });

  it('hold the plugins that have something for the editor', async () => {
    const templates = new Templates(catalogue);
    const wave = '\n<!-- --- [red-plugin:@acme/surf/wave] --- -->\n<b>wave</b>';
    expect(await templates.plugins()).toBe(wave);
    expect(await templates.plugin('@acme/surf/wave')).toBe(wave);
    expect(await templates.plugin('@acme/surf/code')).toBe('');
    expect(await templates.plugin('@acme/surf/board')).toBe('');
    expect(await templates.node('@acme/surf/wave', 'en-US')).toBeUndefined();
  });
});

describe('texts', () => {
  it('are filled up from the base language and English, with plurals as the editor wants them', async () => {
    const messages = new Messages(catalogue);
    expect(await messages.of('@acme/surf/board', 'de-AT')).toEqual({
      board: { wave: 'Welle', wave_other: 'Wellen', surf: 'surf' },
    });
    expect(await messages.of('@acme/surf/board', 'en-US')).toEqual({ board: { wave: 'wave', surf: 'surf' } });
  });

  it('are empty for a language, a set or a namespace that has none', async () => {
    const messages = new Messages(catalogue);
    expect(await messages.of('@acme/surf/board', 'fr')).toEqual({});
    expect(await messages.of('@acme/surf/bare', 'de')).toEqual({});
    expect(await messages.of('no/such', 'de')).toEqual({});
  });

  it('of the core node types have a namespace of their own', async () => {
    const texts = await new Messages(catalogue).of('node-red', 'de');
    expect(texts).toMatchObject({ common: { label: { name: 'Name' } } });
  });

  it('are listed for every set but the core ones', async () => {
    const all = await new Messages(catalogue).all('nodes', 'de');
    expect(Object.keys(all)).toEqual(['@acme/surf/board', '@acme/surf/bare']);
    expect(all['@acme/surf/bare']).toEqual({});
    expect(Object.keys(await new Messages(catalogue).all('plugins', 'de'))).toEqual([
      '@acme/surf/wave',
      '@acme/surf/code',
    ]);
  });
});

describe('icons', () => {
  const icons = () => new Icons(catalogue, { core: catalogue.core, userDir, nodesDir: [] });

  it('are listed by module, an SVG before other formats of its name', () => {
    const list = icons().list();
    expect(list['@acme/surf']).toEqual(['board.svg', 'other.gif']);
    expect(list['node-red']).toContain('inject.svg');
  });

  it('come from the module, the core, or are the default one', () => {
    expect(icons().file('@acme/surf', 'board.svg')).toBe(
      join(userDir, 'node_modules/@acme/surf/nodes/icons/board.svg'),
    );
    expect(icons().file('@acme/surf', 'inject.svg')).toBe(join(catalogue.core.path, 'icons/inject.svg'));
    expect(icons().file('no-such', 'no-such.svg')).toMatch(/arrow-in\.svg$/);
    expect(icons().file('@acme/surf', '../board.js')).toMatch(/arrow-in\.svg$/);
  });
});

it.each([
  [undefined, 'en-US'],
  ['*', 'en-US'],
  ['de', 'de'],
  ['de-AT, de;q=0.9, en;q=0.8', 'de-AT'],
  ['fr;q=0.1, ja', 'ja'],
  ['de;q=0', 'en-US'],
  ['../../etc', 'en-US'],
])('the language of %j is %s', (header, language) => {
  expect(preferredLanguage(header)).toBe(language);
});
