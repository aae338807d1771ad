import type { ToolMessage } from '@pawl/core';
import type { ToolDescription } from '../tools/tool.ts';
import type { ModelDecision, ModelReply, ReplyPayload } from './decision.ts';

/** The logs that a reply may write, in the profile's spelling. Decoding accepts every spelling. */
export type ProtocolLogName = 'think_log' | 'thinking_log' | 'evaluation_log';

/** What a reply may do at this point. */
export type ProtocolContext = {
  /** The tools that may be called. */
  readonly tools: readonly ToolDescription[];
  /** The values allowed in `next_state`; empty if the model cannot choose the state. */
  readonly states: readonly string[];
  readonly logs: readonly ProtocolLogName[];
  /** Maximum number of calls per reply; 1 for one action per cycle. */
  readonly callsMax: number;
};

/** One reply format for a model. All codecs decode to the same decision type. */
export type ProtocolCodec = {
  readonly name: string;
  /** The part of the system prompt that explains the reply format. */
  instructions(context: ProtocolContext): string;
  /** A valid reply, as text. */
  example(context: ProtocolContext): string;
  /** Never throws, whatever the model wrote. */
  decode(reply: ModelReply, context: ProtocolContext): ModelDecision;
  /** Encodes a payload as a reply; `decode` is the inverse. */
  encode(payload: ReplyPayload, context: ProtocolContext): ModelReply;
  /** Formats tool results as text, for models without tool messages. Results cannot imitate protocol syntax. */
  observe(results: readonly ToolMessage[]): string;
};
