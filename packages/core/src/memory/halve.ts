import { toArray, type Conversation } from '../conversation/conversation.ts';
import type { Message } from '../conversation/message.ts';
import { compact, type Compacted } from './compact.ts';
import { printed } from './describe.ts';
import { estimateTokens } from './estimate.ts';

/** So many of the last messages stay whatever they cost: the work at hand. */
const keepLast = 8;

export type HalveOptions = {
  /** The id of the session. */
  readonly id: string;
  readonly at: number;
  /** What a model says about what is shelved. */
  readonly words?: string | undefined;
};

/**
 * Makes a conversation about half as long, for a model that found no room for it. Whoever shelves what is taken out and the
 * machine that goes on without it come to the same, since nothing but the conversation decides.
 */
export function halveConversation(
  conversation: Conversation<Message>,
  { id, at, words }: HalveOptions,
): Compacted {
  const messages = toArray(conversation);
  const all = messages.reduce((sum, message) => sum + estimateTokens(printed(message)), 0);
  const tag = `conversation_${id.replaceAll(/[^\p{L}\p{N}]+/gu, '_')}`;
  const keepTokens = Math.floor(all / 2);
  const options = { keepTokens, keepLast, estimate: estimateTokens, tag, at };
  return compact(messages, words === undefined ? options : { ...options, words });
}
