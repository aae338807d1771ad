import type { Json } from '../json.ts';
import { capProblems } from './build-run.ts';
import { detectTraceFormat, traceFormats } from './detect-trace-format.ts';
import { toOptionalList } from '../json-fields.ts';
import { mergeTraces, type ParsedTrace } from './trace-format.ts';

/**
 * Parses the runs of a document of any supported format, or of a list of such documents.
 * `name` is the id of a run that has none.
 */
export function parseTrace(document: Json, name: string): ParsedTrace {
  const format = detectTraceFormat(document);
  if (format !== null) return format.parse(document, name);
  const items = toOptionalList(document) ?? [];
  const formats = items.map(detectTraceFormat);
  if (formats.every((found) => found === null)) {
    return { runs: [], problems: [{ location: '', problem: describeUnknownFormat() }] };
  }
  const parsed = items.map((item, index): ParsedTrace => {
    const found = formats[index] ?? null;
    const location = `[${index}]`;
    if (found === null) return { runs: [], problems: [{ location, problem: 'no run of a known format' }] };
    const { runs, problems } = found.parse(item, `${name}#${index + 1}`);
    return {
      runs,
      problems: problems.map((problem) => ({
        ...problem,
        where: joinDocumentPath(location, problem.location),
      })),
    };
  });
  const { runs, problems } = mergeTraces(parsed);
  return { runs, problems: capProblems(problems) };
}

/** Describes the supported formats for an error message. */
export function describeUnknownFormat(): string {
  return `no known format; looked for ${traceFormats.map(({ sign }) => sign).join('; ')}`;
}

function joinDocumentPath(outer: string, inner: string): string {
  return inner === '' || inner.startsWith('[') ? outer + inner : `${outer}.${inner}`;
}
