import type { Json } from '@pawl/core';
import { parseTrace } from '@pawl/governor/traces';
import { createTraceProblem, describeTraceProblem } from './read-lines.ts';
import { formatMegabytes } from './text-lines.ts';
import type { TraceItem } from './trace-item.ts';
import type { TraceLimits } from './trace-limits.ts';
import type { TraceSource } from './trace-sources.ts';

/** How a store of sessions is read. */
export type SessionStoreContext = {
  readonly source: TraceSource;
  readonly limits: TraceLimits;
  /** Receives the number of bytes read. */
  readonly count: (bytes: number) => void;
  /** The ids of the sessions read so far: some agents store a session in several places. */
  readonly seenSessions: Set<string>;
};

export function isNewSession({ seenSessions }: SessionStoreContext, id: string): boolean {
  const isNew = !seenSessions.has(id);
  seenSessions.add(id);
  return isNew;
}

export function createSizeProblem({ source, limits }: SessionStoreContext, id: string): TraceItem {
  return createTraceProblem(source, null, `the session ${id} exceeds ${formatMegabytes(limits.heldBytes)}`);
}

export function* listParsedItems(source: TraceSource, document: Json, name: string): Generator<TraceItem> {
  const { runs, problems } = parseTrace(document, name);
  for (const run of runs) yield { file: source.file, run };
  for (const problem of problems)
    yield createTraceProblem(source, null, describeTraceProblem(problem, !source.isFromFolder));
}

/** Data that is not valid JSON becomes null, which the parser reports. */
export function parseRowData(data: unknown): Json {
  try {
    return JSON.parse(String(data)) as Json;
  } catch {
    return null;
  }
}
