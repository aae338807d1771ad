import type { Json } from '../json/json.ts';
import type { Rule } from '../rules/rule.ts';
import type { TrackerLedger } from './ledger.ts';

/** A tool call as reported by the agent's own loop. Omitted fields are inferred from the arguments where possible. */
export type TrackerCall = {
  readonly tool: string;
  readonly args?: Json | undefined;
  readonly file?: string | undefined;
  readonly command?: string | undefined;
  readonly query?: string | undefined;
};

/** The outcome of a call. A failure may have no error message. */
export type CallOutcome = {
  readonly success: boolean;
  readonly error?: string | undefined;
  /** The tool's output. Absent means unknown; empty means the tool returned nothing. */
  readonly output?: Json | undefined;
  /** Fingerprint of the file's new content, if known. */
  readonly contentHash?: string | undefined;
};

/** An ended call with its number and outcome. */
export type EndedCall = { readonly seq: number; readonly call: TrackerCall; readonly outcome: CallOutcome };

type RecordPayload =
  | { readonly type: 'moved'; readonly to: string; readonly cause: string }
  | { readonly type: 'call-made'; readonly call: TrackerCall }
  | { readonly type: 'call-ended'; readonly seq: number; readonly outcome: CallOutcome }
  | { readonly type: 'decision-failed'; readonly reason: string }
  | { readonly type: 'message-said'; readonly text: string }
  | { readonly type: 'test-ran'; readonly command: string; readonly passed: boolean; readonly output: string }
  | { readonly type: 'file-changed'; readonly file: string; readonly contentHash: string }
  | { readonly type: 'milestone-reached'; readonly description: string }
  | { readonly type: 'blocker-met'; readonly description: string }
  | {
      readonly type: 'phase-started';
      readonly number: number;
      readonly description: string;
      readonly expectedMs: number | null;
    }
  | { readonly type: 'phase-completed'; readonly success: boolean }
  | { readonly type: 'ticked' };

/** Something that happened in the agent's own loop, with its time; the only input to a tracker. */
export type TrackerRecord = RecordPayload & { readonly at: number };

/** A record of one type. */
export type RecordByType<Type extends TrackerRecord['type']> = Extract<
  TrackerRecord,
  { readonly type: Type }
>;

/** The result of a record: the detector state after it, and why it was refused, or null. */
export type RecordOutcome<Detector> = { readonly detector: Detector; readonly error: string | null };

/** The ledger before a record, the call that the record ends, and the caller's own rules. */
export type RecordContext = {
  readonly ledger: TrackerLedger;
  readonly ended: EndedCall | null;
  readonly ownRules: readonly Rule[];
};

type RecordType = TrackerRecord['type'];

/** A detector's reducer for each record type. A new record type does not compile until every detector handles it. */
export type RecordReducers<Detector> = {
  readonly [Each in RecordType]: (
    detector: Detector,
    record: RecordByType<Each>,
    known: RecordContext,
  ) => RecordOutcome<Detector>;
};

export function applyReducer<Detector>(
  reducers: RecordReducers<Detector>,
  detector: Detector,
  record: TrackerRecord,
  known: RecordContext,
): RecordOutcome<Detector> {
  // The table has a function for every record type that accepts records of that type.
  const reducer = reducers[record.type] as (
    detector: Detector,
    record: TrackerRecord,
    known: RecordContext,
  ) => RecordOutcome<Detector>;
  return reducer(detector, record, known);
}

export function acceptRecord<Detector>(detector: Detector): RecordOutcome<Detector> {
  return { detector, error: null };
}
