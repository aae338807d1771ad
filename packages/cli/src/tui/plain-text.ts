import { sanitizeText } from '../output/sanitize-text.ts';

/*
 * Further sanitizing after `sanitizeText`, for text in columns: every remaining character has a known width, so that a
 * line ends where the layout expects.
 */

/** Joiners and variation selectors only change a neighboring character, and their width differs between terminals. */
const joinerPattern = /\u200d|[\ufe00-\ufe0f]/gu;

/** Zero-width or unassigned characters, whose rendering depends on the terminal. */
const unknownWidthPattern = /[\p{Cf}\p{DI}\p{Cn}\p{Zl}\p{Zp}]/gu;

/** More combining marks than any language uses would overlap the lines above and below. */
const stackedMarksPattern = /(\p{M}{4})(\p{M}+)/gu;

/** Returns text in which every character except `\n` is only visible and has no other effect. */
export function toPlainText(text: string): string {
  return sanitizeText(text.toWellFormed())
    .replaceAll('\t', '    ')
    .replaceAll(joinerPattern, '')
    .replaceAll(unknownWidthPattern, spellCodePoint)
    .replaceAll(
      stackedMarksPattern,
      (_, marks: string, more: string) => `${marks}⟨${Array.from(more).length} more⟩`,
    );
}

/** Like {@link toPlainText}, on one line. */
export function toPlainLine(text: string): string {
  return isPrintableAscii(text) ? text : toPlainText(text).replaceAll('\n', '⏎');
}

/** Fast path, because most text needs no sanitizing. */
function isPrintableAscii(text: string): boolean {
  return /^[\u0020-\u007e]*$/.test(text);
}

/** Truncates the middle of a text, keeping both ends and the number of characters omitted. */
export function elideMiddle(text: string, max: number): string {
  if (text.length <= max) return text;
  const tail = Math.floor(max / 4);
  const missing = text.length - max;
  return `${text.slice(0, max - tail)}\n… ${missing} characters not shown …\n${text.slice(-tail)}`.toWellFormed();
}

function spellCodePoint(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16).padStart(4, '0');
  return code.length === 4 ? `\\u${code}` : `\\u{${code}}`;
}
