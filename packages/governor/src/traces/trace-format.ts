import type { Json } from '../json/json.ts';
import type { TraceUsage } from './trace-fields.ts';

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

/** What a parser found, in trace order; `buildRecordedRun` builds a run from it. */
export type TraceEntry =
  | { readonly type: 'user'; readonly text: string; readonly at?: number | undefined }
  | TraceReply
  | TraceResult
  /** How the call with this id ended, reported separately from the result. */
  | {
      readonly type: 'failure';
      readonly id: string;
      readonly failed: boolean | undefined;
      readonly exitCode?: number | undefined;
    }
  /** Usage since the previous usage entry. */
  | { readonly type: 'usage'; readonly usage: TraceUsage }
  /** Usage of the whole run, in formats that count nothing else; the replies share it. */
  | { readonly type: 'total'; readonly usage: TraceUsage }
  | {
      readonly type: 'problem';
      readonly location: string;
      readonly problem: string;
      /** Whether a call of a tool may be in what was omitted. */
      readonly hidesCall?: boolean;
    }
  /** A record of a type that the reader does not know. */
  | {
      readonly type: 'unknown';
      readonly location: string;
      readonly kind: string;
      /** Whether it seems to be about a call of a tool. */
      readonly hasCall: boolean;
    };

/** A model reply, or a piece of one. */
export type TraceReply = {
  readonly type: 'reply';
  readonly parts: readonly TracePart[];
  /** Pieces with the same key form one reply and share its usage. */
  readonly key?: string | undefined;
  readonly at?: number | undefined;
  readonly usage?: TraceUsage | undefined;
  /** The response to a reply without a call: an objection to its format. */
  readonly outcome?: TraceOutcome | undefined;
};

export type TracePart =
  | { readonly type: 'text'; readonly text: string }
  /** Reasoning counts as output but is not part of the text. */
  | { readonly type: 'thought'; readonly text: string }
  | {
      readonly type: 'call';
      readonly id?: string | undefined;
      readonly tool: string;
      readonly args: Json | undefined;
      readonly outcome?: TraceOutcome | undefined;
    };

export type TraceOutcome = {
  readonly result: Json | undefined;
  /** Whether the format marks the call as failed; undefined if it marks nothing. */
  readonly error: boolean | undefined;
  readonly exitCode?: number | undefined;
};

export type TraceResult = {
  readonly type: 'result';
  readonly id: string | undefined;
  /** Identifies the call if there is no id. */
  readonly tool?: string | undefined;
  readonly result: Json | undefined;
  /** Whether the format marks the call as failed; undefined if it marks nothing. */
  readonly error: boolean | undefined;
  readonly exitCode?: number | undefined;
  readonly location: string;
  /** Whether this may repeat an earlier result, so that a second one for the same call is not a problem. */
  readonly repeated?: boolean;
};

/** Groups replies that come in unrelated pieces: those between two results or user messages form one reply. */
export function* groupRepliesByTurn(entries: Iterable<TraceEntry>): Generator<TraceEntry> {
  let turn = 0;
  for (const entry of entries) {
    if (entry.type === 'result' || entry.type === 'user') turn += 1;
    yield entry.type === 'reply' ? { ...entry, key: `turn ${turn}` } : entry;
  }
}

/**
 * A run of any agent in the normalized form: one step per tool call with its result, or per message without a call. It
 * is untrusted data: nothing in it is executed.
 */
export type RecordedRun = {
  readonly id: string;
  /** The origin of the run: a benchmark, a product, a file. */
  readonly source?: string;
  readonly model?: string | null;
  /** Whether the task was solved, if known. */
  readonly success?: boolean | null;
  readonly task?: string;
  /** How the run ended, in the recorder's own terms. */
  readonly exit?: string;
  /** What could not be read, if so much is missing that the steps do not show whether the run got stuck. */
  readonly incomplete?: string;
  readonly steps: readonly RecordedStep[];
};

export type RecordedStep = {
  /** Number of the step in the run. */
  readonly i: number;
  readonly role: 'assistant' | 'user';
  readonly text?: string;
  /** Fingerprint of the whole text, if `text` was truncated. */
  readonly textHash?: string;
  readonly tool?: string;
  readonly args?: Json;
  /** Fingerprint of the whole arguments, if `args` was truncated. */
  readonly argsHash?: string;
  readonly result?: Json;
  /** Fingerprint of the whole result, if `result` was truncated. */
  readonly resultHash?: string;
  /** Whether the format marks the call as failed; absent if it marks nothing. */
  readonly error?: boolean;
  /** The exit code, if the format records it apart from the result. */
  readonly exitCode?: number;
  /** Output tokens of the step. */
  readonly tokens?: number;
  readonly inputTokens?: number;
  /** The part of the input tokens that was read from a cache. */
  readonly cachedTokens?: number;
  /** Time of the step, in milliseconds since 1970. */
  readonly at?: number;
};
