import type { Rule } from '../rules/rule.ts';
import type { TrackerLedger } from './ledger.ts';
import type { EndedCall, RecordByType, TrackerRecord } from './tracker-record.ts';

/** The result of a record: the detector state after it, and why it was refused, or null. */
export type RecordOutcome<Mind> = { readonly mind: Mind; readonly error: string | null };

/** The ledger before a record, the call that the record ends, and the caller's own rules. */
export type RecordContext = {
  readonly ledger: TrackerLedger;
  readonly ended: EndedCall | null;
  readonly ownRules: readonly Rule[];
};

type RecordType = TrackerRecord['type'];

/** A detector's reducer for each record type. A new record type does not compile until every detector handles it. */
export type RecordReducers<Mind> = {
  readonly [Each in RecordType]: (
    mind: Mind,
    record: RecordByType<Each>,
    known: RecordContext,
  ) => RecordOutcome<Mind>;
};

export function applyReducer<Mind>(
  takers: RecordReducers<Mind>,
  mind: Mind,
  record: TrackerRecord,
  known: RecordContext,
): RecordOutcome<Mind> {
  // The table has a function for every record type that accepts records of that type.
  const take = takers[record.type] as (
    mind: Mind,
    record: TrackerRecord,
    known: RecordContext,
  ) => RecordOutcome<Mind>;
  return take(mind, record, known);
}

export function acceptRecord<Mind>(mind: Mind): RecordOutcome<Mind> {
  return { mind, error: null };
}
