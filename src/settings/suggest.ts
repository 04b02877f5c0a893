/** The known word that a mistyped one most likely stands for, or `undefined` where none is near. */
export function suggest(word: string, known: readonly string[]): string | undefined {
  const near = known
    .map((candidate) => ({ candidate, edits: editsBetween(word.toLowerCase(), candidate.toLowerCase()) }))
    .sort((a, b) => a.edits - b.edits)[0];
  // Two slips at most (a swapped pair counts as two), and never most of the word.
  return near && near.edits <= 2 && near.edits * 2 <= word.length ? near.candidate : undefined;
}

/** Levenshtein distance, a row at a time. */
function editsBetween(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (const [i, fromA] of [...a].entries()) {
    const next = [i + 1];
    for (const [j, fromB] of [...b].entries()) {
      const replaced = (row[j] ?? 0) + (fromA === fromB ? 0 : 1);
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
