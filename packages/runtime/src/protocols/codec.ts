import type { ToolMessage } from '@pawl/core';
import type { ToolDescription } from '../tools/tool.ts';
import type { ModelDecision, Reply, Said } from './decision.ts';

/** The logs a reply may write, in the spelling of the profile. When reading, every spelling is taken. */
export type LogName = 'think_log' | 'thinking_log' | 'evaluation_log';

/** What a reply may do at this point. */
export type ProtocolContext = {
  /** What may be called. */
  readonly tools: readonly ToolDescription[];
  /** What `next_state` may name; empty when the model has no say in it. */
  readonly states: readonly string[];
  readonly logs: readonly LogName[];
  /** How many calls one reply may make: 1 where there is one action a cycle. */
  readonly callsMax: number;
};

/** One way for a model to say what it wants. All of them come to the same decision. */
export type Codec = {
  readonly name: string;
  /** The part of the system prompt that explains how to reply. */
  instructions(context: ProtocolContext): string;
  /** A valid reply, as text. */
  example(context: ProtocolContext): string;
  /** Never throws, whatever the model wrote. */
  decode(reply: Reply, context: ProtocolContext): ModelDecision;
  /** The reply that says this; `decode` gives it back. */
  encode(said: Said, context: ProtocolContext): Reply;
  /** Results as text, for a model that has no messages for them. Nothing in them can pass for part of the protocol. */
  observe(results: readonly ToolMessage[]): string;
};
