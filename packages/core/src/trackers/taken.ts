import type { Rule } from '../governor/rule.ts';
import type { Ledger } from './ledger.ts';
import type { EndedCall, RecordOf, TrackerRecord } from './record.ts';

/** What became of a record: the mind after it, and why it was refused, or null. */
export type Taken<Mind> = { readonly mind: Mind; readonly error: string | null };

/** What was known before a record, the call that it says has ended, and the rules that somebody brings along. */
export type Known = {
  readonly ledger: Ledger;
  readonly ended: EndedCall | null;
  readonly ownRules: readonly Rule[];
};

type Type = TrackerRecord['type'];

/** What a mind makes of each record. A new record does not compile until every mind says what it makes of it. */
export type Takers<Mind> = {
  readonly [Each in Type]: (mind: Mind, record: RecordOf<Each>, known: Known) => Taken<Mind>;
};

export function takeWith<Mind>(
  takers: Takers<Mind>,
  mind: Mind,
  record: TrackerRecord,
  known: Known,
): Taken<Mind> {
  // The table has for every type a function that takes records of that type.
  const take = takers[record.type] as (mind: Mind, record: TrackerRecord, known: Known) => Taken<Mind>;
  return take(mind, record, known);
}

export function unmoved<Mind>(mind: Mind): Taken<Mind> {
  return { mind, error: null };
}
