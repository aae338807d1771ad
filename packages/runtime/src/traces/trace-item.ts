import type { RecordedRun } from '@pawl/governor/traces';

/** Something that could not be read and was skipped. */
export type TraceReadProblem = {
  readonly file: string;
  readonly line: number | null;
  readonly message: string;
};

export type TraceItem =
  | { readonly file: string; readonly run: RecordedRun }
  | { readonly problem: TraceReadProblem };
