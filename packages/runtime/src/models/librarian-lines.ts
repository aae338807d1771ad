import { isMarkdown } from '../search/file-kind.ts';
import { isImportLine } from '../search/imports.ts';
import type { NumberedLine } from '../tools/numbered-lines.ts';
import { lineCutMark, parseLines } from '../tools/numbered-lines.ts';
import type { ReadOutput } from '../tools/read.ts';
import type { SearchExcerpt } from '../tools/search.ts';

/** Merges the lines of a hit with the lines read around it into one contiguous range. */
export function collectSurroundingLines(
  hit: SearchExcerpt,
  reads: readonly ReadOutput[],
): readonly NumberedLine[] {
  const lines = new Map(parseLines(hit.text).map((line) => [line.number, line]));
  const from = Math.min(...lines.keys());
  for (const read of reads.filter(({ path }) => path === hit.path)) {
    for (const line of parseLines(read.text)) {
      // An excerpt shows the relevant part of a long line; a read shows only its beginning.
      if (!lines.has(line.number) || !line.text.endsWith(lineCutMark)) lines.set(line.number, line);
    }
  }
  const at = (number: number) => (belongsToPassage(number, hit, lines) ? lines.get(number) : undefined);
  const run: NumberedLine[] = [];
  for (let line = at(from); line !== undefined; line = at(line.number - 1)) run.unshift(line);
  for (let line = at(from + 1); line !== undefined; line = at(line.number + 1)) run.push(line);
  return run;
}

/** Maximum number of lines by which a quote may extend beyond its passage. */
const quoteMargin = 6;

/** Whether a line is in the passage, or near it and neither in another section nor an import. */
function belongsToPassage(
  number: number,
  hit: SearchExcerpt,
  lines: ReadonlyMap<number, NumberedLine>,
): boolean {
  if (number >= hit.first && number <= hit.last) return true;
  if (number < hit.first - quoteMargin || number > hit.last + quoteMargin) return false;
  const text = lines.get(number)?.text ?? '';
  if (!isMarkdown(hit.path)) return text.trim() === '' || !isImportLine(text);
  const next = lines.get(number + 1)?.text ?? '';
  return !headingPattern.test(number < hit.first ? next : text);
}

/** Removes leading headings, because the citation already names the heading. */
export function stripHeading(lines: readonly NumberedLine[]): readonly NumberedLine[] {
  const start = lines.findIndex(({ text }) => text.trim() !== '' && !headingPattern.test(text));
  return lines.slice(Math.max(0, start));
}

const headingPattern = /^#{1,6}\s/;
