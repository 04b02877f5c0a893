// `npm run bench`: see README.md beside this file.
import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { ensurePeer } from './peer.ts';
import type { Group, Row } from './row.ts';
import { deployGroup } from './rows/deploy.ts';
import { editorGroup } from './rows/editor.ts';
import { httpGroup } from './rows/http.ts';
import { memoryGroup } from './rows/memory.ts';
import { messagesGroup } from './rows/messages.ts';
import { startGroup } from './rows/start.ts';
import { type SystemName, startSystem, systemNames } from './systems.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { runs: { type: 'string', default: '3' }, write: { type: 'boolean', default: false } },
});

type Figures = Record<SystemName, { values: number[]; p99s: number[] }>;

const groups = [startGroup, memoryGroup, httpGroup, messagesGroup, deployGroup, editorGroup]
  .map(wanted)
  .filter((group) => group.rows.length > 0);
if (groups.length === 0) throw new Error(`no row's or group's name holds: ${positionals.join(', ')}`);
ensurePeer();

const lines = ['| what | unit | peer | Sluice | ratio | goal |', '| --- | --- | --- | --- | --- | --- |'];
for (const group of groups) lines.push(...(await measured(group)));
const report = `${header()}\n\n${lines.join('\n')}\n`;
console.log(`\n${report}`);
if (values.write) writeFileSync(new URL('./RESULTS.md', import.meta.url), `# Results\n\n${report}`);

function wanted(group: Group): Group {
  if (positionals.length === 0 || positionals.includes(group.name)) return group;
  return { ...group, rows: group.rows.filter((row) => positionals.some((word) => row.name.includes(word))) };
}

async function measured(group: Group): Promise<string[]> {
  const figures = new Map<Row, Figures>(
    group.rows.map((row) => [row, { peer: { values: [], p99s: [] }, sluice: { values: [], p99s: [] } }]),
  );
  for (let run = 0; run < Number(values.runs); run++) {
    // The order alternates, so that a machine that slows down favours neither.
    const order = run % 2 === 0 ? systemNames : systemNames.toReversed();
    for (const name of order) {
      const system = await startSystem(name, group.setup);
      try {
        for (const row of group.rows) {
          const { value, p99 } = await row.measure(system);
          console.error(`${group.name} · ${row.name} · ${name}: ${value.toFixed(1)} ${row.unit}`);
          const kept = figures.get(row)?.[name];
          kept?.values.push(value);
          if (p99 !== undefined) kept?.p99s.push(p99);
        }
      } finally {
        await system.stop();
      }
    }
  }
  return [...figures].map(([row, { peer, sluice }]) => {
    const [theirs, ours] = [median(peer.values), median(sluice.values)];
    const goal = row.unit === 'per second' ? `≥ ${row.goal}×` : `≤ ${row.goal}×`;
    const shown = (value: number, p99s: readonly number[]) =>
      `${round(value)}${p99s.length > 0 ? ` (p99 ${median(p99s).toFixed(1)} ms)` : ''}`;
    return `| ${row.name} | ${row.unit} | ${shown(theirs, peer.p99s)} | ${shown(ours, sluice.p99s)} | ${(ours / theirs).toFixed(2)}× | ${goal} |`;
  });
}

function header(): string {
  const date = new Date().toISOString().slice(0, 10);
  return `${date}, Node.js ${process.version}, ${cpus().length} cores, medians of ${values.runs} alternating pairs.`;
}

function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? Number.NaN;
}

function round(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString('en-US') : value.toFixed(1);
}
