/** Text as XML: what XML cannot hold at all is shown as the replacement character. */
export function escapeXml(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[^\t\n\r -\uFFFD\u{10000}-\u{10FFFF}]/gu, '\uFFFD')
    .replaceAll(/[&<>"']/gu, (found) => `&#${found.codePointAt(0)};`);
}

/** About how wide a text is drawn, in pixels. Fonts differ; boxes leave room for that. */
export function widthOf(text: string, fontSize: number): number {
  let ems = 0;
  for (const character of text) ems += (character.codePointAt(0) ?? 0) < 0x11_00 ? 0.56 : 1.1;
  return ems * fontSize;
}

/** The text on one line, or as much of it as is not too long. */
export function clip(text: string, lengthMax: number): string {
  const characters = Array.from(text.replaceAll(/\s+/gu, ' '));
  const isShort = characters.length <= lengthMax;
  return isShort ? characters.join('') : `${characters.slice(0, lengthMax - 1).join('')}…`;
}
