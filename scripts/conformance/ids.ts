/**
 * Parses the requirement ids that a test title contains in square brackets: `[LOOM-43]`, `[LOOM-43, RO-01]`,
 * `[LOOM-43..46]`. Brackets without an id are ordinary text.
 */
export function parseRequirementIds(title: string): readonly string[] {
  return [...title.matchAll(/\[([^\][]*)\]/g)].flatMap(([, inside = '']) => parseBracketIds(inside));
}

/** Returns the title without requirement ids. */
export function stripRequirementIds(title: string): string {
  const prose = title.replaceAll(/\s*\[([^\][]*)\]/g, (bracket, inside: string) =>
    idPattern.test(inside) ? '' : bracket,
  );
  return prose.trim() === '' ? title : prose;
}

const idPattern = /\b[A-Z][A-Z0-9]*-\d+\b/;
const partPattern = /^([A-Z][A-Z0-9]*)-(\d+)(?:\.\.(?:([A-Z][A-Z0-9]*)-)?(\d+))?$/;

function parseBracketIds(inside: string): readonly string[] {
  if (!idPattern.test(inside)) return [];
  return inside.split(',').flatMap((part) => {
    const match = partPattern.exec(part.trim());
    if (match === null)
      throw new Error(`"${part.trim()}" is no requirement id, nor a range like LOOM-43..46`);
    const [, prefix = '', from = '', prefixAgain = prefix, to = from] = match;
    if (prefixAgain !== prefix || Number(to) < Number(from))
      throw new Error(`"${part.trim()}" is no range of ids`);
    return expandIdRange(prefix, from, to);
  });
}

// Numbers have at least two digits: LOOM-07, LOOM-102.
function expandIdRange(prefix: string, from: string, to: string): readonly string[] {
  if (from === to) return [`${prefix}-${from}`];
  const count = Number(to) - Number(from) + 1;
  return Array.from(
    { length: count },
    (_, index) => `${prefix}-${String(Number(from) + index).padStart(2, '0')}`,
  );
}
