import type { Conversation, Message, ModelError, RequestedCall, Usage } from '@pawl/core';
import type { ToolDescription } from '../tools/tool.ts';

export type ModelRequest = {
  /** What the model is told before the conversation; may be empty. */
  readonly system: string;
  readonly conversation: Conversation<Message>;
  /** Empty when the model is to answer without tools. */
  readonly tools: readonly ToolDescription[];
  /** Goes to the very bottom of the prompt; it is not part of the conversation. */
  readonly advice: string | null;
  /** Where there are modes: the section that says where the agent is, advice included. It then stands last instead. */
  readonly state: string | null;
  /** Where there are modes: the one the agent is in, and those it may ask for by name. */
  readonly mode: { readonly state: string; readonly next: readonly string[] } | null;
};

export type ModelChunk =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'call'; readonly callId: string; readonly tool: string; readonly fragment: string }
  | {
      readonly type: 'reply';
      readonly text: string;
      readonly calls: readonly RequestedCall[];
      readonly usage?: Usage;
      /** The mode the model asks for, where it has a say in that. */
      readonly nextState?: string;
      readonly logs?: { readonly think?: string; readonly evaluation?: string };
      /** Why the reply cannot be understood, in words for the model. */
      readonly problem?: string;
    }
  | { readonly type: 'failure'; readonly error: ModelError };

/**
 * Contract: `stream` never throws. It ends with exactly one `reply` or `failure`; `text` and `call` chunks before it are
 * for showing only, and the reply repeats them whole. It stops soon after `signal` is aborted.
 */
export type Model = {
  readonly name: string;
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelChunk>;
};
