import { createHash } from 'node:crypto';
import type { Json } from '@pawl/governor';
import { getStringField, type JsonFields } from '../json-fields.ts';
import type { ProxyConversation } from './recording.ts';
import { fingerprintReply } from './conversation-turns.ts';
import type { ObservedReply, ProviderTokenUsage, WireFormat } from './wire-format.ts';

/** A request as part of a conversation. */
export type ConversationRequest = {
  readonly conversation: ProxyConversation;
  readonly messages: readonly JsonFields[];
  /** For wire formats that do not repeat the history: all items so far. */
  readonly items: readonly Json[];
};

export type ConversationRegistry = {
  /** Finds the conversation of a request; null if the request is not a conversation. */
  resolveRequest(wire: WireFormat, body: JsonFields, name: string | undefined): ConversationRequest | null;
  /** Records the reply to a request. */
  recordReply(request: ConversationRequest, reply: ObservedReply): void;
};

/** Cache limits: conversations, replies that later requests refer to, and usages per conversation. */
const maxConversations = 256;
const maxReplies = 512;
const maxUsages = 2_048;

export function createConversationRegistry(): ConversationRegistry {
  const all = new Map<string, ProxyConversation>();
  const replies = new Map<string, { readonly items: readonly Json[]; readonly key: string }>();
  return {
    resolveRequest(wire, body, name) {
      const previousId = wire.getPreviousReplyId(body);
      const before = previousId === null ? undefined : replies.get(previousId);
      const messages = wire.getMessages(body, before?.items ?? []);
      if (messages === null) return null;
      const key = name ?? before?.key ?? computeConversationKey(wire, body, messages);
      const conversation = all.get(key) ?? {
        key,
        usages: new Map<string, ProviderTokenUsage>(),
        recording: null,
      };
      touchEntry(all, key, conversation, maxConversations);
      return { conversation, messages, items: [...(before?.items ?? []), ...wire.getNewItems(body)] };
    },
    recordReply({ conversation, items }, { text, calls, usage, reference }) {
      if (usage !== null) touchEntry(conversation.usages, fingerprintReply(text, calls), usage, maxUsages);
      if (reference === null) return;
      touchEntry(
        replies,
        reference.id,
        { items: [...items, ...reference.items], key: conversation.key },
        maxReplies,
      );
    },
  };
}

/** Identifies a conversation by its start: the instructions, and the messages up to the first user message. */
function computeConversationKey(wire: WireFormat, body: JsonFields, messages: readonly JsonFields[]): string {
  const first = messages.findIndex((message) => getStringField(message, 'role') === 'user');
  const start = [wire.name, wire.getInstructions(body), messages.slice(0, first + 1)];
  return createHash('sha256').update(JSON.stringify(start)).digest('hex');
}

/** Marks an entry as most recently used, and evicts the least recently used one. */
function touchEntry<Value>(map: Map<string, Value>, key: string, value: Value, max: number): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > max && oldest !== undefined) map.delete(oldest);
}
