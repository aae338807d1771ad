import type { TraceEntry, TraceProblem } from './trace-format.ts';

/** What a user can do about a run of which a part could not be read. */
export const omissionAdvice =
  'a newer version of pawl may read it, or convert it to the normalized format (docs/trace-formats.md#normalized)';

type UnknownRecords = { readonly location: string; count: number; hasCall: boolean };

/** Counts the records of a run that were read and those that were not. */
export class RecordCounter {
  readonly #unknown = new Map<string, UnknownRecords>();
  #read = 0;
  #omitted = 0;
  #hidesCall = false;

  count(entry: TraceEntry): void {
    if (entry.type === 'problem') {
      this.#omitted += 1;
      this.#hidesCall ||= entry.hidesCall === true;
    } else if (entry.type !== 'unknown') this.#read += 1;
    else {
      this.#omitted += 1;
      this.#hidesCall ||= entry.hasCall;
      const { kind, location, hasCall } = entry;
      const known = this.#unknown.get(kind);
      if (known === undefined) this.#unknown.set(kind, { location, count: 1, hasCall });
      else {
        known.count += 1;
        known.hasCall ||= hasCall;
      }
    }
  }

  /** Returns why the steps may lack calls; undefined if they do not. */
  describeOmission(): string | undefined {
    if (this.#hidesCall) return 'records with calls of tools could not be read';
    return this.#isMostlyOmitted() ? 'most of its records could not be read' : undefined;
  }

  /** One problem for each unknown type that matters: it may have calls, or nearly all records are of such types. */
  listProblems(): readonly TraceProblem[] {
    return [...this.#unknown]
      .filter(([, { hasCall }]) => hasCall || this.#isMostlyOmitted())
      .map(([kind, { location, count, hasCall }]) => ({
        location,
        problem: `${count === 1 ? 'a record' : `${count} records`} of the unknown type ${JSON.stringify(kind)}${hasCall ? ', with calls of tools' : ''}; ${omissionAdvice}`,
      }));
  }

  #isMostlyOmitted(): boolean {
    return this.#omitted > this.#read;
  }
}
