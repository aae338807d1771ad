import { isMarkdown } from '../search/file-kind.ts';
import { isImport } from '../search/imports.ts';
import type { NumberedLine } from '../tools/numbered-lines.ts';
import { cutMark, parseLines } from '../tools/numbered-lines.ts';
import type { ReadOutput } from '../tools/read.ts';
import type { Excerpt } from '../tools/search.ts';

/** The lines of a hit together with those read around it, as one run without gaps. */
export function linesAround(hit: Excerpt, reads: readonly ReadOutput[]): readonly NumberedLine[] {
  const lines = new Map(parseLines(hit.text).map((line) => [line.number, line]));
  const from = Math.min(...lines.keys());
  for (const read of reads.filter(({ path }) => path === hit.path)) {
    for (const line of parseLines(read.text)) {
      // An excerpt shows the telling part of a long line, a read only its beginning.
      if (!lines.has(line.number) || !line.text.endsWith(cutMark)) lines.set(line.number, line);
    }
  }
  const at = (number: number) => (belongs(number, hit, lines) ? lines.get(number) : undefined);
  const run: NumberedLine[] = [];
  for (let line = at(from); line !== undefined; line = at(line.number - 1)) run.unshift(line);
  for (let line = at(from + 1); line !== undefined; line = at(line.number + 1)) run.push(line);
  return run;
}

/** How far beyond its passage a quote may reach. */
const margin = 6;

/** Whether a line is in the passage, or near it and neither in another section nor among the imports. */
function belongs(number: number, hit: Excerpt, lines: ReadonlyMap<number, NumberedLine>): boolean {
  if (number >= hit.first && number <= hit.last) return true;
  if (number < hit.first - margin || number > hit.last + margin) return false;
  const text = lines.get(number)?.text ?? '';
  if (!isMarkdown(hit.path)) return text.trim() === '' || !isImport(text);
  const next = lines.get(number + 1)?.text ?? '';
  return !headingPattern.test(number < hit.first ? next : text);
}

/** The citation names the heading already. */
export function withoutHeading(lines: readonly NumberedLine[]): readonly NumberedLine[] {
  const start = lines.findIndex(({ text }) => text.trim() !== '' && !headingPattern.test(text));
  return lines.slice(Math.max(0, start));
}

const headingPattern = /^#{1,6}\s/;
