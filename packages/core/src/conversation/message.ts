import type { Json, ToolCall } from '@pawl/governor';

export type { ToolCall };

/**
 * Why a tool call did not succeed.
 * `failed`: the tool ran and failed. `invalid`: the call could not be parsed. `denied`: a rule or a person denied it.
 * `timeout`: it ran out of time. `interrupted`: it may have run fully, partly or not at all. `cancelled`: it was
 * canceled. `skipped`: it was never started.
 */
export type ToolErrorKind =
  | 'failed'
  | 'invalid'
  | 'denied'
  | 'timeout'
  | 'interrupted'
  | 'cancelled'
  | 'skipped';

export type ToolError = {
  readonly kind: ToolErrorKind;
  readonly message: string;
};

/** The outcome of a call. `final: true` means that the work of this turn is done, as reported by the `finish` tool. */
export type ToolOutcome =
  | { readonly ok: true; readonly output: Json; readonly final?: boolean }
  | { readonly ok: false; readonly error: ToolError };

export type UserMessage = { readonly role: 'user'; readonly at: number; readonly text: string };

export type AssistantMessage = {
  readonly role: 'assistant';
  readonly at: number;
  readonly text: string;
  readonly calls: readonly ToolCall[];
  /** The user interrupted the reply, so the text is incomplete and no answer. */
  readonly isInterrupted?: true;
};

export type ToolMessage = {
  readonly role: 'tool';
  readonly at: number;
  readonly callId: string;
  readonly tool: string;
  readonly outcome: ToolOutcome;
};

export type ConversationMessage = UserMessage | AssistantMessage | ToolMessage;

/**
 * Whether an outcome says something about the work. Canceled and unstarted calls do not; denied calls are judged when
 * they are denied.
 */
export function isJudgedOutcome(kind: ToolErrorKind | undefined): boolean {
  return kind === undefined || kind === 'failed' || kind === 'timeout';
}
