import type { Json } from '../json.ts';
import type { TraceUsage } from './trace-usage.ts';

/** What a parser found, in trace order; `buildRecordedRun` builds a run from it. */
export type TraceEntry =
  | { readonly type: 'user'; readonly text: string; readonly at?: number | undefined }
  | TraceReply
  | TraceResult
  /** Whether the call with this id failed, reported separately from the result. */
  | { readonly type: 'failure'; readonly id: string; readonly failed: boolean }
  /** Usage since the previous usage entry. */
  | { readonly type: 'usage'; readonly usage: TraceUsage }
  | { readonly type: 'problem'; readonly location: string; readonly problem: string };

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

export type TraceOutcome = { readonly result: Json | undefined; readonly error: boolean | undefined };

export type TraceResult = {
  readonly type: 'result';
  readonly id: string | undefined;
  /** Identifies the call if there is no id. */
  readonly tool?: string | undefined;
  readonly result: Json | undefined;
  readonly error: boolean | undefined;
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
