/** A line of a file with its 1-based number. */
export type NumberedLine = { readonly number: number; readonly text: string };

/** Appended to a truncated line. */
export const lineCutMark = ' … [line cut]';

/** Formats lines as `12: the line`, so that a model can cite them. */
export function formatLines(lines: readonly NumberedLine[]): string {
  return lines.map(({ number, text }) => `${number}: ${text}`).join('\n');
}

/** The inverse of `formatLines`; skips lines without a number. */
export function parseLines(text: string): readonly NumberedLine[] {
  return text.split('\n').flatMap((line) => {
    const match = /^(\d+): (.*)$/s.exec(line);
    return match === null ? [] : [{ number: Number(match[1]), text: match[2] ?? '' }];
  });
}
