/*
 * Characters that would move the cursor, change colors, rename the window or reverse the text direction are escaped,
 * because text from files, tools and models must not control the terminal. Newlines and tabs stay.
 */
const unsafePattern =
  // oxlint-disable-next-line no-control-regex
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]/gu;

export function sanitizeText(text: string): string {
  return text.replaceAll('\r\n', '\n').replaceAll(unsafePattern, escapeControlCharacter);
}

/** Sanitizes a text onto one line. */
export function sanitizeOneLine(text: string): string {
  return sanitizeText(text).replaceAll('\n', '⏎').replaceAll('\t', ' ');
}

function escapeControlCharacter(character: string): string {
  const code = character.charCodeAt(0);
  return code < 0x100
    ? `\\x${code.toString(16).padStart(2, '0')}`
    : `\\u${code.toString(16).padStart(4, '0')}`;
}
