import { visible } from '../visible.ts';

/*
 * What is left to do after `visible`, for text that is laid out in columns: every character that is kept has a width that is
 * known, so that a line ends where it is meant to end.
 */

/** Joiners and variants only change how a neighbour looks, and every terminal gives them another width. */
const joiners = /\u200d|[\ufe00-\ufe0f]/gu;

/** Takes no room, or is no character yet; nobody knows what a terminal makes of it. */
const unknown = /[\p{Cf}\p{DI}\p{Cn}\p{Zl}\p{Zp}]/gu;

/** More marks on one letter than any language has reach into the lines above and below. */
const pileOfMarks = /(\p{M}{4})(\p{M}+)/gu;

/** Text that can be shown line by line: no character in it but `\n` does anything except being seen. */
export function plain(text: string): string {
  return visible(text.toWellFormed())
    .replaceAll('\t', '    ')
    .replaceAll(joiners, '')
    .replaceAll(unknown, spelled)
    .replaceAll(pileOfMarks, (_, kept: string, more: string) => `${kept}⟨${Array.from(more).length} more⟩`);
}

/** The same on one line. */
export function plainLine(text: string): string {
  return isSimple(text) ? text : plain(text).replaceAll('\n', '⏎');
}

/** Most of what is shown needs none of this. */
function isSimple(text: string): boolean {
  return /^[\u0020-\u007e]*$/.test(text);
}

/** As much of a text as is kept of it to be shown; both ends, and how much is missing between them. */
export function clipped(text: string, max: number): string {
  if (text.length <= max) return text;
  const tail = Math.floor(max / 4);
  const missing = text.length - max;
  return `${text.slice(0, max - tail)}\n… ${missing} characters not shown …\n${text.slice(-tail)}`.toWellFormed();
}

function spelled(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16).padStart(4, '0');
  return code.length === 4 ? `\\u${code}` : `\\u{${code}}`;
}
