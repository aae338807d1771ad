import type { Json } from '../json.ts';

/** A tool call as it stands in the conversation. `id` is unique within its reply; the machine sees to that. */
export type Call = {
  readonly id: string;
  readonly tool: string;
  readonly args: Json;
};

/**
 * Why a tool call did not succeed.
 * `failed` the tool ran and failed · `invalid` the call could not be understood · `denied` a rule or a person said no
 * `timeout` it ran out of time · `interrupted` it may have run fully, partly or not at all · `cancelled` it was called
 * off · `skipped` it was never started.
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

/** How a call ended. `final: true` means the work of this turn is done (the `finish` tool says so). */
export type Outcome =
  | { readonly ok: true; readonly output: Json; readonly final?: boolean }
  | { readonly ok: false; readonly error: ToolError };

export type UserMessage = { readonly role: 'user'; readonly at: number; readonly text: string };

export type AssistantMessage = {
  readonly role: 'assistant';
  readonly at: number;
  readonly text: string;
  readonly calls: readonly Call[];
};

export type ToolMessage = {
  readonly role: 'tool';
  readonly at: number;
  readonly callId: string;
  readonly tool: string;
  readonly outcome: Outcome;
};

export type Message = UserMessage | AssistantMessage | ToolMessage;
