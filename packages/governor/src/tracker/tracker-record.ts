import type { Json } from '../json.ts';

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
