import { toItemArray, type ConversationHistory } from '../conversation/conversation.ts';
import type { ConversationMessage } from '../conversation/message.ts';
import { compactMessages, type MessageCompaction } from './compact-messages.ts';
import { stringifySafely } from './describe-memory.ts';
import { estimateTokens } from './estimate-tokens.ts';

/** How many of the last messages stay, whatever their size, because they are the work in progress. */
const keptMessages = 8;

export type HalvingOptions = {
  /** The session id. */
  readonly id: string;
  readonly at: number;
  /** The model's summary of the compacted messages. */
  readonly summary?: string | undefined;
};

/**
 * Compacts a conversation to about half its size after a context overflow. The result depends on the conversation
 * alone, so the caller that stores the removed messages and the machine that continues without them agree.
 */
export function halveConversation(
  conversation: ConversationHistory<ConversationMessage>,
  { id, at, summary }: HalvingOptions,
): MessageCompaction {
  const messages = toItemArray(conversation);
  const totalTokens = messages.reduce((sum, message) => sum + estimateTokens(stringifySafely(message)), 0);
  const tag = `conversation_${id.replaceAll(/[^\p{L}\p{N}]+/gu, '_')}`;
  const keepTokens = Math.floor(totalTokens / 2);
  const options = { keepTokens, keepLast: keptMessages, estimate: estimateTokens, tag, at };
  return compactMessages(messages, summary === undefined ? options : { ...options, summary });
}
