import type { Json } from '../json.ts';
import type { Usage } from './tokens.ts';

/** What a parser found, in the order of the trace; a run is built from it. */
export type Entry =
  | { readonly type: 'user'; readonly text: string; readonly at?: number | undefined }
  | Reply
  | Result
  /** Said apart from the result: whether the call with this id failed. */
  | { readonly type: 'failure'; readonly id: string; readonly failed: boolean }
  /** What everything since the last one of these cost. */
  | { readonly type: 'usage'; readonly usage: Usage }
  | { readonly type: 'problem'; readonly where: string; readonly problem: string };

/** What the model said at one go, or a piece of it. */
export type Reply = {
  readonly type: 'reply';
  readonly parts: readonly Part[];
  /** Pieces with the same key are one reply, and cost what one reply costs. */
  readonly key?: string | undefined;
  readonly at?: number | undefined;
  readonly usage?: Usage | undefined;
  /** What came back although no tool was called: that this is no way to answer. */
  readonly outcome?: Outcome | undefined;
};

export type Part =
  | { readonly type: 'text'; readonly text: string }
  /** It counts as output, but is not what was said. */
  | { readonly type: 'thought'; readonly text: string }
  | {
      readonly type: 'call';
      readonly id?: string | undefined;
      readonly tool: string;
      readonly args: Json | undefined;
      readonly outcome?: Outcome | undefined;
    };

export type Outcome = { readonly result: Json | undefined; readonly error: boolean | undefined };

export type Result = {
  readonly type: 'result';
  readonly id: string | undefined;
  /** Tells the call when there is no id. */
  readonly tool?: string | undefined;
  readonly result: Json | undefined;
  readonly error: boolean | undefined;
  readonly where: string;
  /** Repeats what an earlier one may have said already: a second one for the same call is no problem. */
  readonly repeated?: boolean;
};

/** Where replies come in pieces that nothing holds together: those between two results, or two users' words, are one. */
export function* inTurns(entries: Iterable<Entry>): Generator<Entry> {
  let turn = 0;
  for (const entry of entries) {
    if (entry.type === 'result' || entry.type === 'user') turn += 1;
    yield entry.type === 'reply' ? { ...entry, key: `turn ${turn}` } : entry;
  }
}
