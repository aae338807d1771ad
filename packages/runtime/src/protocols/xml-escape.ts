/** The five predefined XML entities. No others are supported, so entity expansion cannot grow the text. */
const xmlEntities: ReadonlyMap<string, string> = new Map([
  ['lt', '<'],
  ['gt', '>'],
  ['amp', '&'],
  ['quot', '"'],
  ['apos', "'"],
]);

/** Resolves the predefined entities and numeric references once. Any other `&` is literal. */
export function unescapeXml(text: string): string {
  return text.replaceAll(
    /&(?:([a-z]{2,4})|#(\d{1,7})|#x([\da-f]{1,6}));/gi,
    (whole, ...groups: unknown[]) => {
      const [name, decimal, hex] = groups as readonly (string | undefined)[];
      if (name !== undefined) return xmlEntities.get(name) ?? whole;
      return (
        toXmlCharacter(decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal)) ?? whole
      );
    },
  );
}

/** Excludes characters that text cannot contain: surrogates and control characters. */
function toXmlCharacter(code: number): string | undefined {
  if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return undefined;
  if (code < 0x20 && code !== 0x09 && code !== 0x0a && code !== 0x0d) return undefined;
  return String.fromCodePoint(code);
}

/** Escapes text for an element, so that it reads back unchanged. Text that needs no escaping stays readable. */
export function toElementText(text: string): string {
  if (!/[<&]/.test(text) && text === text.trim()) return text;
  return `<![CDATA[${text.replaceAll(']]>', ']]]]><![CDATA[>')}]]>`;
}

/** Escapes text so that it cannot contain a tag. */
export function escapeXmlText(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
