import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const file = fileURLToPath(new URL('../../../docs/compatibility.md', import.meta.url));
const heading = '| Module | Version | Sets | Tried | Outcome |\n| --- | --- | --- | --- | --- |\n';

/** A line of the table in `docs/compatibility.md`. */
export interface Row {
  readonly module: string;
  readonly version: string;
  /** How many sets it has. */
  readonly sets: number;
  readonly tried: string;
  readonly outcome: string;
}

/** What the document says of a module; undefined where it does not know it. */
export function documented(module: string): Row | undefined {
  return read().rows.find((row) => row.module === module);
}

/** Every module of the document, in its order. */
export function documentedModules(): readonly string[] {
  return read().rows.map(({ module }) => module);
}

/** Puts a line into the document, in place of what it says of the same module; sorted by name. */
export function document(row: Row): void {
  const { before, rows, after } = read();
  const others = rows.filter(({ module }) => module !== row.module);
  const changed = [...others, row].sort((a, b) => (a.module < b.module ? -1 : 1));
  writeFileSync(file, before + heading + changed.map(line).join('') + after);
}

function line({ module, version, sets, tried, outcome }: Row): string {
  return `| \`${module}\` | ${version} | ${sets} | ${tried} | ${outcome} |\n`;
}

function read(): { before: string; rows: readonly Row[]; after: string } {
  const text = readFileSync(file, 'utf8');
  const start = text.indexOf(heading);
  if (start === -1) throw new Error(`${file} has no table of modules`);
  const below = text.slice(start + heading.length);
  const lines = /^(?:\|.*\n)*/.exec(below)?.[0] ?? '';
  const rows = lines
    .split('\n')
    .filter(Boolean)
    .map((text) => {
      const [module = '', version = '', sets, tried = '', outcome = ''] = text.slice(2, -2).split(' | ');
      return { module: module.replaceAll('`', ''), version, sets: Number(sets), tried, outcome };
    });
  return { before: text.slice(0, start), rows, after: below.slice(lines.length) };
}
