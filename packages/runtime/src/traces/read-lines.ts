import type { Json } from '@pawl/core';
import {
  detectTraceFormat,
  parseTrace,
  describeUnknownFormat,
  type TraceProblem,
} from '@pawl/governor/traces';
import { formatMegabytes, type TextLine } from './text-lines.ts';
import type { TraceItem } from './trace-item.ts';
import type { TraceLimits } from './trace-limits.ts';
import type { TraceSource } from './trace-sources.ts';

export type LineReadOptions = {
  readonly source: TraceSource;
  readonly limits: TraceLimits;
  /** The file is a single line, so its run may take the file's name. */
  readonly isSingle: boolean;
};

type HeldLine = { readonly number: number; readonly value: Json };

/**
 * Reads runs from lines of JSON. Either each line contains whole runs, which are yielded one by one, or all lines form
 * one run, which is buffered until the end. The first meaningful lines decide which case applies.
 */
export async function* readTraceLines(
  lines: AsyncIterable<TextLine>,
  options: LineReadOptions,
): AsyncGenerator<TraceItem> {
  const { source, limits } = options;
  const bufferedLines: HeldLine[] = [];
  let bytes = 0;
  let kind: 'unknown' | 'runs' | 'pieces' = 'unknown';
  for await (const line of parseTraceLines(lines)) {
    if ('error' in line) {
      yield createTraceProblem(source, line.number, line.error);
      continue;
    }
    if (kind === 'unknown') kind = detectLineKind(line.json, bufferedLines);
    if (kind === 'runs') {
      for (const bufferedLine of bufferedLines.splice(0)) yield* listDocumentItems(bufferedLine, options);
      yield* listDocumentItems({ number: line.number, value: line.json }, options);
      continue;
    }
    bufferedLines.push({ number: line.number, value: line.json });
    bytes += line.bytes;
    if (bytes > limits.heldBytes)
      return yield createTraceProblem(source, line.number, describeTooLarge(limits));
    if (kind === 'unknown' && bufferedLines.length >= limits.unknownLines) break;
  }
  if (bufferedLines.length > 0) yield* listHeldItems(bufferedLines, options);
}

type ParsedLine =
  | { readonly number: number; readonly json: Json; readonly bytes: number }
  | { readonly number: number; readonly error: string };

/** Parses each line. A broken line is yielded with the next one, because the last one may only be incomplete. */
async function* parseTraceLines(lines: AsyncIterable<TextLine>): AsyncGenerator<ParsedLine> {
  let broken: { readonly line: TextLine; readonly error: string } | null = null;
  for await (const line of lines) {
    if (broken !== null) yield { number: broken.line.number, error: broken.error };
    const value = parseLineValue(line);
    broken = typeof value === 'string' ? { line, error: value } : null;
    if (typeof value !== 'string') yield { number: line.number, ...value };
  }
  if (broken !== null)
    yield { number: broken.line.number, error: describeLastLine(broken.line, broken.error) };
}

function describeLastLine(line: TextLine, error: string): string {
  const text = 'text' in line ? line.text : '';
  const isCut = line.number > 1 && /^\s*[[{]/.test(text) && !/[\]}]\s*$/.test(text);
  return isCut
    ? 'the last line is incomplete, as in a file that is still being written; the file was read up to there'
    : error;
}

function describeTooLarge({ heldBytes }: TraceLimits): string {
  return `one run over many lines exceeds ${formatMegabytes(heldBytes)}; only files with complete runs on each line can be larger`;
}

function parseLineValue(line: TextLine): { readonly json: Json; readonly bytes: number } | string {
  if ('error' in line) return line.error;
  try {
    const json = JSON.parse(line.text) as Json;
    if (typeof json !== 'object' || json === null) return 'expected an object on each line';
    return { json, bytes: line.bytes };
  } catch (error) {
    return `invalid JSON: ${error instanceof Error ? error.message : String(error)}`;
  }
}

const spanFormats: ReadonlySet<string> = new Set(['otlp', 'openinference']);

/** The spans of one trace may be spread over many lines, although each line is a complete document. */
function detectLineKind(value: Json, before: readonly HeldLine[]): 'unknown' | 'runs' | 'pieces' {
  const format = detectTraceFormat(value);
  if (format !== null) return spanFormats.has(format.name) ? 'pieces' : 'runs';
  if (Array.isArray(value)) return 'runs';
  return detectTraceFormat([...before.map((one) => one.value), value]) === null ? 'unknown' : 'pieces';
}

function* listDocumentItems(
  { number, value }: HeldLine,
  { source, isSingle }: LineReadOptions,
): Generator<TraceItem> {
  const { runs, problems } = parseTrace(value, isSingle ? source.name : `${source.name}#${number}`);
  for (const run of runs) yield { file: source.file, run };
  for (const one of problems)
    yield createTraceProblem(source, number, describeTraceProblem(one, isSingle && !source.isFromFolder));
}

function* listHeldItems(
  bufferedLines: readonly HeldLine[],
  { source }: LineReadOptions,
): Generator<TraceItem> {
  const { runs, problems } = parseTrace(
    bufferedLines.map(({ value }) => value),
    source.name,
  );
  for (const run of runs) yield { file: source.file, run };
  for (const one of problems) {
    const [line, location] = locateProblem(one, bufferedLines);
    yield createTraceProblem(source, line, describeTraceProblem({ ...one, location }, !source.isFromFolder));
  }
}

/** Maps a problem in the list of lines to the line that caused it. */
function locateProblem(
  { location, problem }: TraceProblem,
  bufferedLines: readonly HeldLine[],
): readonly [number | null, string] {
  const match = /^\[(\d+)\]\.?/.exec(location);
  if (match === null)
    return [problem === describeUnknownFormat() ? (bufferedLines[0]?.number ?? null) : null, location];
  return [bufferedLines[Number(match[1])]?.number ?? null, location.slice(match[0].length)];
}

export function createTraceProblem({ file }: TraceSource, line: number | null, message: string): TraceItem {
  return { problem: { file, line, message } };
}

/** The problem of a file in a folder that is of no supported format. */
export const unknownFormatText = 'no run of a known format';

/** The full list of supported formats is shown only if the user named the file explicitly. */
export function describeTraceProblem({ location, problem }: TraceProblem, isNamed: boolean): string {
  const message = problem === describeUnknownFormat() && !isNamed ? unknownFormatText : problem;
  return location === '' ? message : `${location}: ${message}`;
}
