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
    const found = /^(\d+): (.*)$/s.exec(line);
    return found === null ? [] : [{ number: Number(found[1]), text: found[2] ?? '' }];
  });
}
