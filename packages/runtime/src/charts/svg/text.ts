/** Escapes text for XML; characters that XML cannot represent become the replacement character. */
export function escapeSvgText(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[^\t\n\r -\uFFFD\u{10000}-\u{10FFFF}]/gu, '\uFFFD')
    .replaceAll(/[&<>"']/gu, (character) => `&#${character.codePointAt(0)};`);
}

/** Estimates the rendered width of a text in pixels. Fonts differ, and boxes leave room for that. */
export function estimateTextWidth(text: string, fontSize: number): number {
  let ems = 0;
  for (const character of text) ems += (character.codePointAt(0) ?? 0) < 0x11_00 ? 0.56 : 1.1;
  return ems * fontSize;
}

/** Collapses a text to one line and truncates it. */
export function clipToOneLine(text: string, lengthMax: number): string {
  const characters = Array.from(text.replaceAll(/\s+/gu, ' '));
  const isShort = characters.length <= lengthMax;
  return isShort ? characters.join('') : `${characters.slice(0, lengthMax - 1).join('')}…`;
}
