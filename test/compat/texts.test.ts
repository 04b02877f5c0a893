import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'vitest';
import { Catalogues } from '../../src/engine/i18n/catalogues.ts';
import { coreLocales, findCorePackage } from '../../src/modules/core.ts';
import { expectSame, requirePeer } from '../support/peer-util.ts';

const locales = coreLocales(findCorePackage());
const { i18n } = requirePeer('@node-red/util');

/** Every key of the core's texts, and of what holds them. */
function keysOf(texts: object, above = ''): string[] {
  return Object.entries(texts).flatMap(([key, text]) =>
    typeof text === 'object' ? [above + key, ...keysOf(text, `${above}${key}.`)] : [above + key],
  );
}
const english = JSON.parse(readFileSync(join(locales, 'en-US', 'messages.json'), 'utf8'));
// Where German has no plural, the peer gives English or German, whichever catalogue it has read first.
const german = new Set(keysOf(JSON.parse(readFileSync(join(locales, 'de', 'messages.json'), 'utf8'))));
const withoutPlural = keysOf(english).filter((key) => /_plural$/.test(key) && !german.has(key));
const uneven = new Set(withoutPlural.flatMap((key) => [key, key.replace(/_plural$/, '')]));
const keys = [...keysOf(english).flatMap((key) => [key, key.replace(/_plural$/, '')]), 'none', 'a.b.c', ''];

const options: unknown[][] = [
  [],
  [{ count: 1 }],
  [{ count: 0 }],
  [{ count: 5, error: '<b>&"', host: 'h', port: 5 }],
  ['instead'],
  [{ defaultValue: 'instead __count__', count: 3 }],
];

// The peer's library has one language in a process.
describe('texts of the core, as the peer translates them', () => {
  it('are the same for every key', async () => {
    i18n.init({ lang: 'de' });
    await i18n.registerMessageCatalog('node-red', locales, 'messages.json');
    const { translate } = new Catalogues({ lang: 'de', coreLocales: locales });
    // Some modules have any text translated, whether or not it is a key.
    const noKeys = ['"action" is not allowed', 'list[0].name is empty', 'at 12:30, or later?', 'a: b', ''];
    for (const key of [...keys.filter((one) => !uneven.has(one)), ...noKeys]) {
      for (const more of options) {
        for (const asked of [`node-red:${key}`, ['node-red:none', `node-red:${key}`], `other:${key}`]) {
          expectSame(
            [asked, more, translate(asked, ...more)],
            [asked, more, i18n._(structuredClone(asked), ...more)],
          );
        }
      }
    }
  });
});
