/** The candidate that is a few slips of the keyboard away from a word, or null when none is near. */
export function nearest(word: string, candidates: readonly string[]): string | null {
  let best: string | null = null;
  let slips = Math.floor(word.length / 3) + 1;
  for (const candidate of candidates) {
    const between = distance(word.toLowerCase().slice(0, 50), candidate.toLowerCase());
    if (between < slips) [best, slips] = [candidate, between];
  }
  return best;
}

/** How many characters must be added, dropped or replaced to make one word of the other (Levenshtein). */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (const [i, character] of [...a].entries()) {
    const next = [i + 1];
    for (let j = 0; j < b.length; j += 1) {
      const replaced = (row[j] ?? 0) + (character === b[j] ? 0 : 1);
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
