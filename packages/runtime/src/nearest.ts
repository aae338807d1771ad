/** Nobody mistypes a name this long; the rest of it is not looked at. */
const lengthMax = 64;

/** The name most like the one given, for a "did you mean"; with `slipsMax`, none rather than one that is far off. */
export function nearest<Name extends string>(
  given: string,
  names: readonly Name[],
  slipsMax = Infinity,
): Name | undefined {
  const wanted = given.slice(0, lengthMax).toLowerCase();
  let best: { readonly name: Name; readonly distance: number } | undefined;
  for (const name of names) {
    const distance = editDistance(wanted, name.toLowerCase());
    if (distance <= slipsMax && distance < (best?.distance ?? Infinity)) best = { name, distance };
  }
  return best?.name;
}

/** Levenshtein: how many letters must be added, removed or replaced to get from one to the other. */
function editDistance(from: string, to: string): number {
  let above = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 0; row < from.length; row += 1) {
    const current = [row + 1];
    for (let column = 0; column < to.length; column += 1) {
      const replaced = (above[column] ?? 0) + (from[row] === to[column] ? 0 : 1);
      const removed = (above[column + 1] ?? 0) + 1;
      const added = (current[column] ?? 0) + 1;
      current.push(Math.min(replaced, removed, added));
    }
    above = current;
  }
  return above.at(-1) ?? 0;
}
