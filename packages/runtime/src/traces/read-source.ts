import { parseTrace, type Json } from '@pawl/core';
import { problem, readLines, told } from './read-lines.ts';
import { megabytes, notText, textLines, type TextLine } from './text-lines.ts';
import type { TraceItem } from './trace-item.ts';
import type { TraceLimits } from './trace-limits.ts';
import type { TraceSource } from './trace-sources.ts';

/** A first line that is longer is hardly the opening bracket of a document. */
const openingMax = 200;

/** The runs in one source, which is a JSON document or lines of JSON; its beginning shows which. */
export async function* readSource(
  bytes: AsyncIterable<Buffer>,
  source: TraceSource,
  limits: TraceLimits,
): AsyncGenerator<TraceItem> {
  const lines = textLines(bytes, limits.heldBytes);
  try {
    const { value: first } = await lines.next();
    if (first === undefined) {
      if (!source.isFound) yield problem(source, null, 'it is empty');
      return;
    }
    if (source.isFound && isForeign(first)) return;
    const { value: second } = await lines.next();
    if (isForeign(first) && (second === undefined || isForeign(second))) {
      yield problem(source, first.number, 'it begins neither like JSON nor like lines of it');
      return;
    }
    const all = chain(second === undefined ? [first] : [first, second], lines);
    if (isOpening(first, second)) yield* readDocument(all, source, limits);
    else yield* readLines(all, { source, limits, isSingle: second === undefined });
  } finally {
    await lines.return(undefined);
  }
}

/** Whether a line is of something else than JSON. */
function isForeign(line: TextLine): boolean {
  return 'text' in line ? !/^\s*[[{]/.test(line.text) : line.error === notText;
}

/** Whether a line begins a document that goes on in the next one. */
function isOpening(first: TextLine, second: TextLine | undefined): boolean {
  if (second === undefined || !('text' in first) || parsed(first.text) !== undefined) return false;
  const end = first.text.slice(-openingMax).trimEnd().at(-1) ?? '';
  if (!'[{,:'.includes(end)) return false;
  // However long it is and whatever comes next: no line that is whole ends in the beginning of a list.
  if (end === '[') return true;
  return first.text.length <= openingMax || !('text' in second) || parsed(second.text) === undefined;
}

/** A document that is no JSON as a whole may still be lines of JSON whose first one is broken. */
async function* readDocument(
  lines: AsyncIterable<TextLine>,
  source: TraceSource,
  limits: TraceLimits,
): AsyncGenerator<TraceItem> {
  const held: TextLine[] = [];
  let bytes = 0;
  for await (const line of lines) {
    held.push(line);
    bytes += 'bytes' in line ? line.bytes : 0;
    if (bytes <= limits.heldBytes) continue;
    const limit = megabytes(limits.heldBytes);
    return yield problem(
      source,
      null,
      `one JSON document of more than ${limit}; write one run on each line instead`,
    );
  }
  const whole = parsed(held.map((line) => ('text' in line ? line.text : '')).join('\n'));
  if (whole === undefined) yield* readBroken(held, source, limits);
  else {
    const { runs, problems } = parseTrace(whole, source.name);
    for (const run of runs) yield { file: source.file, run };
    for (const one of problems) yield problem(source, null, told(one, !source.isFound));
  }
}

async function* readBroken(
  held: readonly TextLine[],
  source: TraceSource,
  limits: TraceLimits,
): AsyncGenerator<TraceItem> {
  const whole = held.filter(
    (line) => 'text' in line && line.text.startsWith('{') && parsed(line.text) !== undefined,
  );
  if (whole.length * 2 >= held.length) yield* readLines(chain(held), { source, limits, isSingle: false });
  else
    yield problem(
      source,
      held[0]?.number ?? null,
      'not JSON: it begins like a document that goes over many lines, and breaks off',
    );
}

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

async function* chain(first: readonly TextLine[], rest?: AsyncIterable<TextLine>): AsyncGenerator<TextLine> {
  yield* first;
  if (rest !== undefined) yield* rest;
}
