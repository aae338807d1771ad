/*
 * Text from files, tools and models is shown as text and nothing else: what would move the cursor, recolour, rename the
 * window, or turn the reading direction round is spelled out instead. Newlines and tabs stay.
 */
const unsafe =
  // oxlint-disable-next-line no-control-regex
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]/gu;

export function visible(text: string): string {
  return text.replaceAll('\r\n', '\n').replaceAll(unsafe, escaped);
}

/** The same on one line. */
export function visibleLine(text: string): string {
  return visible(text).replaceAll('\n', '⏎').replaceAll('\t', ' ');
}

function escaped(character: string): string {
  const code = character.charCodeAt(0);
  return code < 0x100
    ? `\\x${code.toString(16).padStart(2, '0')}`
    : `\\u${code.toString(16).padStart(4, '0')}`;
}
