/**
 * What would move the cursor, hide, or turn the reading direction round. Newlines and tabs may stay, and so may the mark
 * that makes a sign an emoji.
 */
const invisible =
  /(?![\n\t]|\u{fe0f})(?:[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u{115f}\u{1160}\u{3164}\u{ffa0}]|\p{Variation_Selector})/gu;

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

/** A text with its middle left out if it is too long: the end often says how it went. */
export function capped(text: string, charsMax: number): string {
  if (text.length <= charsMax) return text.toWellFormed();
  const tail = Math.floor(charsMax / 4);
  const head = charsMax - tail;
  const left = text.length - charsMax;
  return `${text.slice(0, head)}\n[… ${left} characters left out …]\n${text.slice(-tail)}`.toWellFormed();
}

function escaped(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, '0')}`;
}
