/**
 * What would move the cursor, hide, or turn the reading direction round. Newlines and tabs may stay, and so may the mark
 * that makes a sign an emoji.
 */
const invisible = /(?![\n\t]|\u{fe0f})[\p{C}\p{DI}\p{Zl}\p{Zp}\u{2800}]/gu;

/**
 * Text that a server wrote about itself, fit to be shown and to be put before a model: nothing in it is invisible, and
 * it is no longer than asked for.
 */
export function visibleText(text: string, charsMax: number): string {
  const start = text
    .slice(0, charsMax)
    .toWellFormed()
    .replaceAll('\r\n', '\n')
    .replaceAll(invisible, escaped);
  if (text.length <= charsMax && start.length <= charsMax) return start;
  return `${start.slice(0, charsMax - 1).toWellFormed()}…`;
}

function escaped(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, '0')}`;
}
