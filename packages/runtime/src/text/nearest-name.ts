/** Only this many characters are compared, to bound the cost for very long input. */
const comparedLengthMax = 64;

/** Finds the most similar name for a "did you mean" hint, within `distanceMax` edits. */
export function findNearestName<Name extends string>(
  input: string,
  names: readonly Name[],
  distanceMax = Infinity,
): Name | undefined {
  const target = input.slice(0, comparedLengthMax).toLowerCase();
  let best: { readonly name: Name; readonly distance: number } | undefined;
  for (const name of names) {
    const distance = computeEditDistance(target, name.toLowerCase());
    if (distance <= distanceMax && distance < (best?.distance ?? Infinity)) best = { name, distance };
  }
  return best?.name;
}

/** The message for a name that is not one of these, with the nearest of them. */
export function formatUnknownName(kind: string, value: string, names: readonly string[]): string {
  return `Unknown ${kind} ${JSON.stringify(value)}.${formatNameSuggestion(value, names)} Available: ${names.join(', ')}.`;
}

/** Suggests the nearest name for an error message; empty if none is close. */
export function formatNameSuggestion(value: string, names: readonly string[]): string {
  const hint = findNearestName(value, names, Math.floor(value.length / 3));
  return hint === undefined ? '' : ` Did you mean ${hint}?`;
}

/**
 * The Damerau–Levenshtein distance between two texts (insert, delete, replace, swap neighbors). Distances of `max` and
 * more are not distinguished.
 */
export function computeEditDistance(from: string, to: string, max = Infinity): number {
  if (Math.abs(from.length - to.length) >= max) return max;
  // Each row has the distances between a prefix of `from` and every prefix of `to`.
  let rows = { last: Array.from({ length: to.length + 1 }, (_, column) => column), beforeLast: [0] };
  for (let length = 1; length <= from.length; length += 1) {
    const next = computeDistanceRow(from.slice(0, length), to, rows);
    if (Math.min(...next) >= max) return max;
    rows = { last: next, beforeLast: rows.last };
  }
  return Math.min(max, rows.last.at(-1) ?? max);
}

type DistanceRows = { readonly last: readonly number[]; readonly beforeLast: readonly number[] };

function computeDistanceRow(prefix: string, to: string, { last, beforeLast }: DistanceRows): number[] {
  const row = [prefix.length];
  for (let column = 1; column <= to.length; column += 1) {
    const replaced = (last[column - 1] ?? 0) + (prefix.at(-1) === to[column - 1] ? 0 : 1);
    const removed = (last[column] ?? 0) + 1;
    const added = (row[column - 1] ?? 0) + 1;
    const isSwap = prefix.at(-1) === to[column - 2] && prefix.at(-2) === to[column - 1];
    const transposed = isSwap ? (beforeLast[column - 2] ?? 0) + 1 : Infinity;
    row.push(Math.min(replaced, removed, added, transposed));
  }
  return row;
}
