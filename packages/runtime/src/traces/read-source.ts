import type { Json } from '@pawl/core';
import { parseTrace } from '@pawl/governor/traces';
import { createTraceProblem, readTraceLines, describeTraceProblem } from './read-lines.ts';
import { formatMegabytes, notUtf8Text, splitTextLines, type TextLine } from './text-lines.ts';
import type { TraceItem } from './trace-item.ts';
import type { TraceLimits } from './trace-limits.ts';
import type { TraceSource } from './trace-sources.ts';

/** A longer first line is unlikely to be the opening of a multi-line document. */
const documentOpeningMax = 200;

/** Reads the runs of one source, which is a JSON document or lines of JSON; its beginning shows which. */
export async function* readTraceSource(
  bytes: AsyncIterable<Buffer>,
  source: TraceSource,
  limits: TraceLimits,
): AsyncGenerator<TraceItem> {
  const lines = splitTextLines(bytes, limits.heldBytes);
  try {
    const { value: first } = await lines.next();
    if (first === undefined) {
      if (!source.isFromFolder) yield createTraceProblem(source, null, 'it is empty');
      return;
    }
    if (source.isFromFolder && isForeignLine(first)) return;
    const { value: second } = await lines.next();
    if (isForeignLine(first) && (second === undefined || isForeignLine(second))) {
      yield createTraceProblem(source, first.number, 'it is neither JSON nor JSON Lines');
      return;
    }
    const all = chainLines(second === undefined ? [first] : [first, second], lines);
    if (isDocumentOpening(first, second)) yield* readTraceDocument(all, source, limits);
    else yield* readTraceLines(all, { source, limits, isSingle: second === undefined });
  } finally {
    await lines.return(undefined);
  }
}

/** Whether a line is not JSON. */
function isForeignLine(line: TextLine): boolean {
  return 'text' in line ? !/^\s*[[{]/.test(line.text) : line.error === notUtf8Text;
}

/** Whether a line begins a document that continues on the next line. */
function isDocumentOpening(first: TextLine, second: TextLine | undefined): boolean {
  if (second === undefined || !('text' in first) || tryParseJson(first.text) !== undefined) return false;
  const end = first.text.slice(-documentOpeningMax).trimEnd().at(-1) ?? '';
  if (!'[{,:'.includes(end)) return false;
  // No complete line ends with an opening bracket, whatever its length and whatever follows.
  if (end === '[') return true;
  return (
    first.text.length <= documentOpeningMax || !('text' in second) || tryParseJson(second.text) === undefined
  );
}

/** A document that is not valid JSON as a whole may still be lines of JSON with a broken first line. */
async function* readTraceDocument(
  lines: AsyncIterable<TextLine>,
  source: TraceSource,
  limits: TraceLimits,
): AsyncGenerator<TraceItem> {
  const bufferedLines: TextLine[] = [];
  let bytes = 0;
  for await (const line of lines) {
    bufferedLines.push(line);
    bytes += 'bytes' in line ? line.bytes : 0;
    if (bytes <= limits.heldBytes) continue;
    const limit = formatMegabytes(limits.heldBytes);
    return yield createTraceProblem(
      source,
      null,
      `one JSON document exceeds ${limit}; write one run on each line instead`,
    );
  }
  const whole = tryParseJson(bufferedLines.map((line) => ('text' in line ? line.text : '')).join('\n'));
  if (whole === undefined) yield* readBrokenDocument(bufferedLines, source, limits);
  else {
    const { runs, problems } = parseTrace(whole, source.name);
    for (const run of runs) yield { file: source.file, run };
    for (const one of problems)
      yield createTraceProblem(source, null, describeTraceProblem(one, !source.isFromFolder));
  }
}

async function* readBrokenDocument(
  bufferedLines: readonly TextLine[],
  source: TraceSource,
  limits: TraceLimits,
): AsyncGenerator<TraceItem> {
  const whole = bufferedLines.filter(
    (line) => 'text' in line && line.text.startsWith('{') && tryParseJson(line.text) !== undefined,
  );
  if (whole.length * 2 >= bufferedLines.length)
    yield* readTraceLines(chainLines(bufferedLines), { source, limits, isSingle: false });
  else
    yield createTraceProblem(
      source,
      bufferedLines[0]?.number ?? null,
      'invalid JSON: the multi-line document is incomplete',
    );
}

function tryParseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

async function* chainLines(
  first: readonly TextLine[],
  rest?: AsyncIterable<TextLine>,
): AsyncGenerator<TextLine> {
  yield* first;
  if (rest !== undefined) yield* rest;
}
