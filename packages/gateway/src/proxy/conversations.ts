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
  /** The items that the model's server has not seen, because the proxy itself replied to them. */
  readonly unsent: UnsentItems | null;
  /** How the next request continues if the proxy itself replies to this one. */
  readonly ifUnsent: UnsentItems;
};

/** Items that the model's server needs before those of the next request. */
export type UnsentItems = {
  /** The last reply of the server itself; null if there is none. */
  readonly previousId: string | null;
  readonly items: readonly Json[];
};

export type ConversationRegistry = {
  /** Finds the conversation of a request; null if the request is not a conversation. */
  resolveRequest(wire: WireFormat, body: JsonFields, name: string | undefined): ConversationRequest | null;
  /** Records the reply to a request. */
  recordReply(request: ConversationRequest, reply: ObservedReply): void;
  /** Records a reply of the proxy itself, which the model's server does not know. */
  recordProxyReply(request: ConversationRequest, reference: ObservedReply['reference']): void;
};

/** Cache limits: conversations, replies that later requests refer to, and usages per conversation. */
const maxConversations = 256;
const maxReplies = 512;
const maxUsages = 2_048;

/** A reply that later requests may refer to by its id. */
type KnownReply = {
  readonly items: readonly Json[];
  readonly key: string;
  readonly unsent: UnsentItems | null;
};

export function createConversationRegistry(): ConversationRegistry {
  const all = new Map<string, ProxyConversation>();
  const replies = new Map<string, KnownReply>();
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
        isClosed: false,
      };
      touchEntry(all, key, conversation, maxConversations);
      return { conversation, messages, ...continueItems(wire, body, before) };
    },
    recordReply({ conversation, items }, { text, calls, usage, reference }) {
      const ids = calls.map(({ id }) => id);
      if (usage !== null) touchEntry(conversation.usages, fingerprintReply(text, ids), usage, maxUsages);
      if (reference === null) return;
      touchEntry(
        replies,
        reference.id,
        { items: [...items, ...reference.items], key: conversation.key, unsent: null },
        maxReplies,
      );
    },
    recordProxyReply({ conversation, items, ifUnsent }, reference) {
      if (reference === null) return;
      const unsent = { ...ifUnsent, items: [...ifUnsent.items, ...reference.items] };
      const reply = { items: [...items, ...reference.items], key: conversation.key, unsent };
      touchEntry(replies, reference.id, reply, maxReplies);
    },
  };
}

/** Returns the items of a request that continues a known reply. */
function continueItems(
  wire: WireFormat,
  body: JsonFields,
  before: KnownReply | undefined,
): Pick<ConversationRequest, 'items' | 'unsent' | 'ifUnsent'> {
  const newItems = wire.getNewItems(body);
  const unsent = before?.unsent ?? null;
  const { previousId, items } = unsent ?? { previousId: wire.getPreviousReplyId(body), items: [] };
  return {
    items: [...(before?.items ?? []), ...newItems],
    unsent,
    ifUnsent: { previousId, items: [...items, ...newItems] },
  };
}

/** Identifies a conversation by its start: the instructions, and the messages before the first reply. */
function computeConversationKey(wire: WireFormat, body: JsonFields, messages: readonly JsonFields[]): string {
  const reply = messages.findIndex((message) => getStringField(message, 'role') === 'assistant');
  const start = [wire.name, wire.getInstructions(body), reply === -1 ? messages : messages.slice(0, reply)];
  return createHash('sha256').update(JSON.stringify(start)).digest('hex');
}

/** Marks an entry as most recently used, and evicts the least recently used one. */
function touchEntry<Value>(map: Map<string, Value>, key: string, value: Value, max: number): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > max && oldest !== undefined) map.delete(oldest);
}
