/**
 * The requirement ids that a test title names in square brackets: `[LOOM-43]`, `[LOOM-43, RO-01]`, `[LOOM-43..46]`.
 * A bracket without anything like an id is ordinary text.
 */
export function idsIn(title: string): readonly string[] {
  return [...title.matchAll(/\[([^\][]*)\]/g)].flatMap(([, inside = '']) => idsInBracket(inside));
}

/** The title as prose. */
export function withoutIds(title: string): string {
  const prose = title.replaceAll(/\s*\[([^\][]*)\]/g, (bracket, inside: string) =>
    idPattern.test(inside) ? '' : bracket,
  );
  return prose.trim() === '' ? title : prose;
}

const idPattern = /\b[A-Z][A-Z0-9]*-\d+\b/;
const partPattern = /^([A-Z][A-Z0-9]*)-(\d+)(?:\.\.(?:([A-Z][A-Z0-9]*)-)?(\d+))?$/;

function idsInBracket(inside: string): readonly string[] {
  if (!idPattern.test(inside)) return [];
  return inside.split(',').flatMap((part) => {
    const match = partPattern.exec(part.trim());
    if (match === null)
      throw new Error(`"${part.trim()}" is no requirement id, nor a range like LOOM-43..46`);
    const [, prefix = '', from = '', prefixAgain = prefix, to = from] = match;
    if (prefixAgain !== prefix || Number(to) < Number(from))
      throw new Error(`"${part.trim()}" is no range of ids`);
    return range(prefix, from, to);
  });
}

// Numbers have at least two digits: LOOM-07, LOOM-102.
function range(prefix: string, from: string, to: string): readonly string[] {
  if (from === to) return [`${prefix}-${from}`];
  const count = Number(to) - Number(from) + 1;
  return Array.from(
    { length: count },
    (_, index) => `${prefix}-${String(Number(from) + index).padStart(2, '0')}`,
  );
}
