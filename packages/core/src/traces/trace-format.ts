import type { Json } from '../json.ts';
import type { RecordedRun } from './recorded-run.ts';

/** Something in a trace that could not be understood, and was left out. */
export type TraceProblem = {
  /** A path in the document, such as `messages[3].tool_calls[0]`; empty for the document itself. */
  readonly where: string;
  readonly problem: string;
};

export type ParsedTrace = {
  readonly runs: readonly RecordedRun[];
  readonly problems: readonly TraceProblem[];
};

/**
 * A way in which agents' runs are written down. A document is one JSON value, or the lines of a JSONL file as a list.
 * Contract: neither function ever throws, whatever the document.
 */
export type TraceFormat = {
  readonly name: string;
  /** What a document of this format has, in words that end a sentence: “looked for …”. */
  readonly sign: string;
  readonly recognise: (document: Json) => boolean;
  /** `name` is the id of a run that has none of its own. */
  readonly parse: (document: Json, name: string) => ParsedTrace;
};

export function merged(traces: readonly ParsedTrace[]): ParsedTrace {
  return {
    runs: traces.flatMap(({ runs }) => runs),
    problems: traces.flatMap(({ problems }) => problems),
  };
}
