import type { Json } from '../json.ts';
import type { RecordedRun } from './recorded-run.ts';

/** A part of a trace that could not be parsed and was omitted. */
export type TraceProblem = {
  /** A path in the document, such as `messages[3].tool_calls[0]`; empty for the document itself. */
  readonly location: string;
  readonly problem: string;
};

export type ParsedTrace = {
  readonly runs: readonly RecordedRun[];
  readonly problems: readonly TraceProblem[];
};

/**
 * A format of recorded agent runs. A document is one JSON value, or the lines of a JSONL file as a list.
 * Contract: neither function throws, whatever the document.
 */
export type TraceFormat = {
  readonly name: string;
  /** Describes documents of this format; completes the sentence “looked for …”. */
  readonly sign: string;
  readonly matches: (document: Json) => boolean;
  /** `name` is the id of a run that has none. */
  readonly parse: (document: Json, name: string) => ParsedTrace;
};

export function mergeTraces(traces: readonly ParsedTrace[]): ParsedTrace {
  return {
    runs: traces.flatMap(({ runs }) => runs),
    problems: traces.flatMap(({ problems }) => problems),
  };
}
