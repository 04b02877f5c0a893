import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const src = join(root, 'src');

/** What a room may import: whole, or only types of. */
interface Allowed {
  readonly code: ReadonlySet<string>;
  readonly types: ReadonlySet<string>;
}

interface Import {
  readonly from: string;
  readonly to: string;
  readonly typeOnly: boolean;
}

const map = readMap(readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8'));
const imports = filesBelow(src).flatMap(importsOf);

describe('imports', () => {
  it('the map of ARCHITECTURE.md names every room', () => {
    const rooms = readdirSync(src, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    expect(rooms.map((room) => room.name).filter((name) => !map.has(name))).toEqual([]);
  });

  it('run as the map of ARCHITECTURE.md says', () => {
    const wrong = imports.filter(({ from, to, typeOnly }) => {
      const [room, other] = [roomOf(from), roomOf(to)];
      if (room === other) return false;
      const allowed = map.get(room);
      return !allowed?.code.has(other) && !(typeOnly && allowed?.types.has(other));
    });
    expect(wrong.map(inWords)).toEqual([]);
  });

  it('never lead from a file back to itself', () => {
    expect(cycles().map((files) => files.join(' → '))).toEqual([]);
  });
});

/** The table of rooms: `| \`room/\` | … | what it may import |`. */
function readMap(text: string): Map<string, Allowed> {
  const rows = [...text.matchAll(/^\| `(\w+)\/` \|[^|]*\|([^|]*)\|$/gm)].map((row) => ({
    room: row[1] ?? '',
    cell: row[2] ?? '',
  }));
  const all = rows.map((row) => row.room);
  const cells = new Map(rows.map(({ room, cell }) => [room, cell]));
  const named = (cell: string) =>
    [...cell.matchAll(/`([\w ]+)`/g)].flatMap((match) => (match[1] ?? '').split(' '));
  const codeOf = (cell: string): string[] => {
    if (cell.includes('everything but')) return all.filter((room) => !named(cell).includes(room));
    const rooms = named(cell.split('types of')[0] ?? '');
    return cell.includes('and what it may')
      ? [...rooms, ...rooms.flatMap((room) => codeOf(cells.get(room) ?? ''))]
      : rooms;
  };
  return new Map(
    rows.map(({ room, cell }) => [
      room,
      { code: new Set(codeOf(cell)), types: new Set(named(cell.split('types of')[1] ?? '')) },
    ]),
  );
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !/\.test(-d)?\.ts$/.test(name))
    .map((name) => join(folder, name));
}

/** The imports of files of ours; `import()` counts, comments do not. */
function importsOf(file: string): Import[] {
  const text = readFileSync(file, 'utf8').replaceAll(/^\s*(?:\*|\/\/|\/\*).*$/gm, '');
  const found = text.matchAll(
    /\b(?:import|export)\b(\s+type\b)?[^'";()]*?\bfrom\s*'(\.[^']+)'|\bimport\s*\(?\s*'(\.[^']+)'/g,
  );
  return [...found].map((match) => ({
    from: relative(src, file),
    to: relative(src, resolve(dirname(file), match[2] ?? match[3] ?? '')),
    typeOnly: match[1] !== undefined,
  }));
}

function roomOf(file: string): string {
  return file.split(sep)[0] ?? '';
}

function inWords({ from, to, typeOnly }: Import): string {
  return `${from} imports ${typeOnly ? 'types of ' : ''}${to}`;
}

/** Each cycle among the imports that exist at run time, once. */
function cycles(): string[][] {
  const next = Map.groupBy(
    imports.filter(({ typeOnly }) => !typeOnly),
    ({ from }) => from,
  );
  const found: string[][] = [];
  const done = new Set<string>();
  const visit = (file: string, path: readonly string[]): void => {
    const seen = path.indexOf(file);
    if (seen >= 0) {
      found.push([...path.slice(seen), file]);
      return;
    }
    if (done.has(file)) return;
    for (const { to } of next.get(file) ?? []) visit(to, [...path, file]);
    done.add(file);
  };
  for (const file of next.keys()) visit(file, []);
  return found;
}
