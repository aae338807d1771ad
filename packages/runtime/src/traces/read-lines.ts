import { detect, parseTrace, unknownFormat, type Json, type TraceProblem } from '@pawl/core';
import { megabytes, type TextLine } from './text-lines.ts';
import type { TraceItem } from './trace-item.ts';
import type { TraceLimits } from './trace-limits.ts';
import type { TraceSource } from './trace-sources.ts';

export type LineReading = {
  readonly source: TraceSource;
  readonly limits: TraceLimits;
  /** The file is one line, so that the run in it may have the file's name. */
  readonly isSingle: boolean;
};

type Held = { readonly number: number; readonly value: Json };

/**
 * The runs in lines of JSON. Either each line holds whole runs, and then they are handed out one by one; or the lines
 * together are one, and then they are held until the end. Which of the two it is, the first lines that make sense decide.
 */
export async function* readLines(
  lines: AsyncIterable<TextLine>,
  reading: LineReading,
): AsyncGenerator<TraceItem> {
  const { source, limits } = reading;
  const held: Held[] = [];
  let bytes = 0;
  let kind: 'unknown' | 'runs' | 'pieces' = 'unknown';
  for await (const line of lines) {
    const value = valueOf(line);
    if (typeof value === 'string') {
      yield problem(source, line.number, value);
      continue;
    }
    if (kind === 'unknown') kind = kindOf(value.json, held);
    if (kind === 'runs') {
      for (const one of held.splice(0)) yield* documentItems(one, reading);
      yield* documentItems({ number: line.number, value: value.json }, reading);
      continue;
    }
    held.push({ number: line.number, value: value.json });
    bytes += value.bytes;
    if (bytes > limits.heldBytes) return yield problem(source, line.number, tooLarge(limits));
    if (kind === 'unknown' && held.length >= limits.unknownLines) break;
  }
  if (held.length > 0) yield* heldItems(held, reading);
}

function tooLarge({ heldBytes }: TraceLimits): string {
  return `one run over many lines, of more than ${megabytes(heldBytes)}; only files with whole runs on each line can be larger`;
}

function valueOf(line: TextLine): { readonly json: Json; readonly bytes: number } | string {
  if ('error' in line) return line.error;
  try {
    const json = JSON.parse(line.text) as Json;
    if (typeof json !== 'object' || json === null) return 'expected an object on each line';
    return { json, bytes: line.bytes };
  } catch (error) {
    return `not JSON: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** Spans of one trace may be spread over many lines, although each line is a document by itself. */
function kindOf(value: Json, before: readonly Held[]): 'unknown' | 'runs' | 'pieces' {
  const format = detect(value);
  if (format !== null) return format.name === 'otlp' ? 'pieces' : 'runs';
  if (Array.isArray(value)) return 'runs';
  return detect([...before.map((one) => one.value), value]) === null ? 'unknown' : 'pieces';
}

function* documentItems({ number, value }: Held, { source, isSingle }: LineReading): Generator<TraceItem> {
  const { runs, problems } = parseTrace(value, isSingle ? source.name : `${source.name}#${number}`);
  for (const run of runs) yield { file: source.file, run };
  for (const one of problems) yield problem(source, number, told(one, isSingle && !source.isFound));
}

function* heldItems(held: readonly Held[], { source }: LineReading): Generator<TraceItem> {
  const { runs, problems } = parseTrace(
    held.map(({ value }) => value),
    source.name,
  );
  for (const run of runs) yield { file: source.file, run };
  for (const one of problems) {
    const [line, where] = lineOf(one, held);
    yield problem(source, line, told({ ...one, where }, !source.isFound));
  }
}

/** A problem in the list of lines is a problem of one of them. */
function lineOf(
  { where, problem: what }: TraceProblem,
  held: readonly Held[],
): readonly [number | null, string] {
  const match = /^\[(\d+)\]\.?/.exec(where);
  if (match === null) return [what === unknownFormat() ? (held[0]?.number ?? null) : null, where];
  return [held[Number(match[1])]?.number ?? null, where.slice(match[0].length)];
}

export function problem({ file }: TraceSource, line: number | null, message: string): TraceItem {
  return { problem: { file, line, message } };
}

/** The long list of what was looked for is for someone who named the file, and found nothing in it. */
export function told({ where, problem: what }: TraceProblem, isNamed: boolean): string {
  const short = what === unknownFormat() && !isNamed ? 'no run of a known format' : what;
  return where === '' ? short : `${where}: ${short}`;
}
