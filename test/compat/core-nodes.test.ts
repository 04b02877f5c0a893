import { beforeAll, describe, expect, it } from 'vitest';
import { caseOf, type Kept, type PlayedCase, SideBySide } from '../support/side-by-side.ts';
import { fileCases, linkCases } from './core-nodes-files.ts';
import { functionCases } from './core-nodes-functions.ts';
import { changeCases, otherCases, switchCases } from './core-nodes-logic.ts';
import { joinCases, orderCases, parserCases, splitCases, timedCases } from './core-nodes-sequences.ts';

/** The options of the core nodes, each with messages usual and awkward: what they send, raise, show, log and complete. */
const families = {
  change: changeCases(),
  switch: switchCases(),
  'range, template and filter': otherCases(),
  function: functionCases(),
  split: splitCases(),
  join: joinCases(),
  'sort and batch': orderCases(),
  parsers: parserCases(),
  'delay, trigger and exec': timedCases(),
  files: fileCases(),
  links: linkCases(),
};
const all = Object.values(families).flatMap((cases) => Object.entries(cases));
const tabs = new Map(all.map(([name], index) => [name, `c${index}`]));
const tabOf = (name: string): string => tabs.get(name) ?? '';

let ours: Record<string, Kept>;
let theirs: Record<string, Kept>;
beforeAll(async () => {
  await using both = await SideBySide.start({ logging: { console: { level: 'off' } } });
  const played: Record<string, PlayedCase> = {};
  for (const [name, each] of all) played[tabOf(name)] = caseOf(tabOf(name), each);
  ({ ours, theirs } = await both.play(played, 400));
});

/** What is compared. */
function shown(name: string, kept: Kept = {}): Kept {
  const { log = [], status = [], ...rest } = kept;
  return {
    ...rest,
    // A text in a sequence is reported by the function node, and by the peer a second time when it is sent.
    log: log.filter(
      (record) => !/tried to send a message|can send objects only/.test(JSON.stringify(record)),
    ),
    // How much waits is shown by the clock.
    ...(name.startsWith('delay') ? {} : { status }),
  };
}

describe.each(Object.entries(families))('%s', (_, cases) => {
  it.each(Object.keys(cases))('%s', (name) => {
    expect(shown(name, ours[tabOf(name)])).toEqual(shown(name, theirs[tabOf(name)]));
  });
});

it('most cases have an outcome', () => {
  const silent = all.filter(([name]) => Object.keys(theirs[tabOf(name)] ?? {}).length === 0);
  expect(silent.length).toBeLessThan(all.length / 8);
});
