/**
 * Matches characters that move the cursor, are invisible or change the text direction. Newlines, tabs and the emoji
 * variation selector are allowed.
 */
const invisiblePattern = /(?![\n\t]|\u{fe0f})[\p{C}\p{DI}\p{Zl}\p{Zp}\u{2800}]/gu;

/** Makes server-written text safe for display and for a model: escapes invisible characters and limits the length. */
export function sanitizeServerText(text: string, charsMax: number): string {
  const start = text
    .slice(0, charsMax)
    .toWellFormed()
    .replaceAll('\r\n', '\n')
    .replaceAll(invisiblePattern, escapeInvisible);
  if (text.length <= charsMax && start.length <= charsMax) return start;
  return `${start.slice(0, charsMax - 1).toWellFormed()}…`;
}

function escapeInvisible(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, '0')}`;
}
