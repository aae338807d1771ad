import type {
  ConversationMessage,
  ModelError,
  RequestedCall,
  TokenUsage,
  ConversationHistory,
} from '@pawl/core';
import type { ReplyKind } from '@pawl/core/turn';
import type { ToolDescription } from '../tools/tool.ts';

export type ModelRequest = {
  /** System prompt; may be empty. */
  readonly system: string;
  readonly conversation: ConversationHistory<ConversationMessage>;
  /** Empty if the model must answer without tools. */
  readonly tools: readonly ToolDescription[];
  /** Appended at the end of the prompt; not part of the conversation. */
  readonly advice: string | null;
  /** With modes: the section about the current mode, including the advice; it then replaces `advice` at the end. */
  readonly state: string | null;
  /** With modes: the current mode and the modes that the model may request. */
  readonly mode: { readonly state: string; readonly next: readonly string[] } | null;
};

export type ModelChunk =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'call'; readonly callId: string; readonly tool: string; readonly fragment: string }
  | {
      readonly type: 'reply';
      readonly text: string;
      readonly calls: readonly RequestedCall[];
      /** What the reply means for the turn; without it, text alone is an answer unless the mode takes it for a thought. */
      readonly kind?: ReplyKind;
      readonly usage?: TokenUsage;
      /** The mode that the model requests, if it may choose. */
      readonly nextState?: string;
      readonly logs?: { readonly think?: string; readonly evaluation?: string };
      /** Why the reply could not be parsed, phrased for the model. */
      readonly problem?: string;
      readonly response?: ModelResponse;
    }
  | { readonly type: 'failure'; readonly error: ModelError; readonly response?: ModelResponse };

/** What the provider says about its response. For observers only: it is not part of the session's log. */
export type ModelResponse = {
  readonly id?: string;
  /** The model that wrote the response, which may be more specific than the requested one. */
  readonly model?: string;
  /** Why the response ended, as one of the AI SDK's finish reasons. */
  readonly finishReason?: string;
};

/** The server that a model's requests are sent to. */
export type ModelServer = { readonly address: string; readonly port: number };

export type ReplyChunk = Extract<ModelChunk, { readonly type: 'reply' }>;

/**
 * Contract: `stream` never throws. It ends with exactly one `reply` or `failure`; the preceding `text` and `call`
 * chunks are for display only, and the reply repeats them in full. It stops soon after `signal` is aborted.
 */
export type Model = {
  readonly name: string;
  /** Absent if the model sends no requests, or its server is unknown. */
  readonly server?: ModelServer;
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelChunk>;
};
