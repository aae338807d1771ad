/** Only this many characters are compared, to bound the cost for very long input. */
const comparedLengthMax = 64;

/** Finds the most similar name for a "did you mean" hint, within `slipsMax` edits. */
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

/** Levenshtein distance. */
function computeEditDistance(from: string, to: string): number {
  let previous = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 0; row < from.length; row += 1) {
    const current = [row + 1];
    for (let column = 0; column < to.length; column += 1) {
      const replaced = (previous[column] ?? 0) + (from[row] === to[column] ? 0 : 1);
      const removed = (previous[column + 1] ?? 0) + 1;
      const added = (current[column] ?? 0) + 1;
      current.push(Math.min(replaced, removed, added));
    }
    previous = current;
  }
  return previous.at(-1) ?? 0;
}
