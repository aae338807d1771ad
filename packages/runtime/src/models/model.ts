import type { Conversation, Message, ModelError, RequestedCall, Usage } from '@pawl/core';
import type { ToolDescription } from '../tools/tool.ts';

export type ModelRequest = {
  readonly conversation: Conversation<Message>;
  /** Empty when the model is to answer without tools. */
  readonly tools: readonly ToolDescription[];
  /** Goes to the very bottom of the prompt; it is not part of the conversation. */
  readonly advice: string | null;
};

export type ModelChunk =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'call'; readonly callId: string; readonly tool: string; readonly fragment: string }
  | {
      readonly type: 'reply';
      readonly text: string;
      readonly calls: readonly RequestedCall[];
      readonly usage?: Usage;
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
