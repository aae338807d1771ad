import { createHash } from 'node:crypto';
import type { Json } from '@pawl/core';
import { textIn, type Fields } from '../json-fields.ts';
import type { Recording } from './recording.ts';
import { replyMark } from './turns.ts';
import type { SeenReply, TokenUsage, Wire } from './wire.ts';

/** A conversation that goes through the proxy. What it has used up is known only as long as the proxy runs. */
export type Conversation = {
  readonly key: string;
  /** What replies took, by what they said. */
  readonly usages: Map<string, TokenUsage>;
  recording: Recording | null;
};

/** A request, as far as it is part of a conversation. */
export type Heard = {
  readonly conversation: Conversation;
  readonly messages: readonly Fields[];
  /** For wires that do not repeat what came before: all the items up to now. */
  readonly items: readonly Json[];
};

export type Conversations = {
  /** The conversation that a request belongs to; null for what is no conversation. */
  hear(wire: Wire, body: Fields, name: string | undefined): Heard | null;
  /** Takes in the reply to a request. */
  reply(heard: Heard, reply: SeenReply): void;
};

/** How many conversations, replies that others go on from, and counts within one are kept in mind. */
const conversationsMax = 256;
const repliesMax = 512;
const usagesMax = 2_048;

export function createConversations(): Conversations {
  const all = new Map<string, Conversation>();
  const replies = new Map<string, { readonly items: readonly Json[]; readonly key: string }>();
  return {
    hear(wire, body, name) {
      const from = wire.goesOnFrom(body);
      const before = from === null ? undefined : replies.get(from);
      const messages = wire.messages(body, before?.items ?? []);
      if (messages === null) return null;
      const key = name ?? before?.key ?? keyOf(wire, body, messages);
      const conversation = all.get(key) ?? { key, usages: new Map<string, TokenUsage>(), recording: null };
      touch(all, key, conversation, conversationsMax);
      return { conversation, messages, items: [...(before?.items ?? []), ...wire.items(body)] };
    },
    reply({ conversation, items }, { text, calls, usage, kept }) {
      if (usage !== null) touch(conversation.usages, replyMark(text, calls), usage, usagesMax);
      if (kept === null) return;
      touch(replies, kept.id, { items: [...items, ...kept.items], key: conversation.key }, repliesMax);
    },
  };
}

/** Conversations are told apart by how they begin: the instructions, and all up to the first word of the user. */
function keyOf(wire: Wire, body: Fields, messages: readonly Fields[]): string {
  const first = messages.findIndex((message) => textIn(message, 'role') === 'user');
  const opening = [wire.name, wire.instructions(body), messages.slice(0, first + 1)];
  return createHash('sha256').update(JSON.stringify(opening)).digest('hex');
}

/** Puts something last in line, and lets go of what has waited longest. */
function touch<Value>(map: Map<string, Value>, key: string, value: Value, max: number): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > max && oldest !== undefined) map.delete(oldest);
}
