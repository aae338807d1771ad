import type { Json } from '../json.ts';
import { capped } from './build-run.ts';
import { detect, traceFormats } from './detect.ts';
import { listOf } from '../json-fields.ts';
import { merged, type ParsedTrace } from './trace-format.ts';

/**
 * The runs in a document, whatever its format; or in a list of documents that each hold some.
 * `name` is the id of a run that has none of its own.
 */
export function parseTrace(document: Json, name: string): ParsedTrace {
  const format = detect(document);
  if (format !== null) return format.parse(document, name);
  const items = listOf(document) ?? [];
  const formats = items.map(detect);
  if (formats.every((found) => found === null)) {
    return { runs: [], problems: [{ where: '', problem: unknownFormat() }] };
  }
  const parsed = items.map((item, index): ParsedTrace => {
    const found = formats[index] ?? null;
    const where = `[${index}]`;
    if (found === null) return { runs: [], problems: [{ where, problem: 'no run of a known format' }] };
    const { runs, problems } = found.parse(item, `${name}#${index + 1}`);
    return {
      runs,
      problems: problems.map((problem) => ({ ...problem, where: inside(where, problem.where) })),
    };
  });
  const { runs, problems } = merged(parsed);
  return { runs, problems: capped(problems) };
}

/** What was looked for, for someone whose document has none of it. */
export function unknownFormat(): string {
  return `no known format; looked for ${traceFormats.map(({ sign }) => sign).join('; ')}`;
}

function inside(outer: string, inner: string): string {
  return inner === '' || inner.startsWith('[') ? outer + inner : `${outer}.${inner}`;
}
