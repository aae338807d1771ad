/** A line of a file and where it stands; lines count from 1. */
export type NumberedLine = { readonly number: number; readonly text: string };

/** Put after the part that is shown of a line too long to show. */
export const cutMark = ' … [line cut]';

/** Written so that a model can cite what it read: `12: the line`. */
export function formatLines(lines: readonly NumberedLine[]): string {
  return lines.map(({ number, text }) => `${number}: ${text}`).join('\n');
}

/** The reverse of `formatLines`; what has no number is left out. */
export function parseLines(text: string): readonly NumberedLine[] {
  return text.split('\n').flatMap((line) => {
    const found = /^(\d+): (.*)$/s.exec(line);
    return found === null ? [] : [{ number: Number(found[1]), text: found[2] ?? '' }];
  });
}
