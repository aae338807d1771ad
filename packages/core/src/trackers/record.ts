import type { Json } from '../json.ts';

/** A tool call as the loop that makes it knows it. What is left out is looked for in the arguments, or done without. */
export type ToolCall = {
  readonly tool: string;
  readonly args?: Json | undefined;
  readonly file?: string | undefined;
  readonly command?: string | undefined;
  readonly query?: string | undefined;
};

/** How a call ended. A failure may come without a word of explanation. */
export type CallOutcome = {
  readonly success: boolean;
  readonly error?: string | undefined;
  /** What the tool said. Left out, it is not known; empty, the tool said nothing. */
  readonly output?: Json | undefined;
  /** A fingerprint of what the file holds now, for those who have one. */
  readonly contentHash?: string | undefined;
};

/** A call with its number and how it ended. */
export type EndedCall = { readonly seq: number; readonly call: ToolCall; readonly outcome: CallOutcome };

type Fact =
  | { readonly type: 'moved'; readonly to: string; readonly cause: string }
  | { readonly type: 'call-made'; readonly call: ToolCall }
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

/** Something that happened in somebody's own loop, and when. The only way anything gets into a tracker. */
export type TrackerRecord = Fact & { readonly at: number };

/** A record of one kind. */
export type RecordOf<Type extends TrackerRecord['type']> = Extract<TrackerRecord, { readonly type: Type }>;
