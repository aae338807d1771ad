/** The five entities that XML has without a DTD. There is no other, so nothing can be made to grow. */
const entities: ReadonlyMap<string, string> = new Map([
  ['lt', '<'],
  ['gt', '>'],
  ['amp', '&'],
  ['quot', '"'],
  ['apos', "'"],
]);

/** Resolves the five entities and character numbers, once. Any other `&` is the character it is. */
export function unescapeXml(text: string): string {
  return text.replaceAll(
    /&(?:([a-z]{2,4})|#(\d{1,7})|#x([\da-f]{1,6}));/gi,
    (whole, ...groups: unknown[]) => {
      const [name, decimal, hex] = groups as readonly (string | undefined)[];
      if (name !== undefined) return entities.get(name) ?? whole;
      return characterOf(decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal)) ?? whole;
    },
  );
}

/** Not the characters that text cannot hold: half a pair, a control character. */
function characterOf(code: number): string | undefined {
  if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return undefined;
  if (code < 0x20 && code !== 0x09 && code !== 0x0a && code !== 0x0d) return undefined;
  return String.fromCodePoint(code);
}

/** Text for an element, so that reading it gives the same text. What needs no guarding stays readable. */
export function elementText(text: string): string {
  if (!/[<&]/.test(text) && text === text.trim()) return text;
  return `<![CDATA[${text.replaceAll(']]>', ']]]]><![CDATA[>')}]]>`;
}

/** Text that cannot pass for a tag. */
export function escapeXml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
