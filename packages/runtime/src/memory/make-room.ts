import { conversationOf, estimateTokens, halveConversation, items, type Session } from '@pawl/core';
import type { Freed } from '../work.ts';
import type { MemoryKeeper } from './memory-keeper.ts';

/**
 * Puts on the shelf what the machine is about to do without: entries of working memory beyond its limit, and where a model
 * found no room, the older half of the conversation.
 */
export async function makeRoom(keeper: MemoryKeeper, session: Session): Promise<Freed> {
  const paged = session.memory === null ? { freed: 0, held: 0 } : await keeper.page();
  const { turn, settings, id } = session;
  const shortens = turn.status === 'paging' && turn.work.asking && settings.compact;
  if (!shortens) return { freedTokens: paged.freed, heldTokens: paged.held };
  const conversation = conversationOf(session);
  const { entries, keep } = halveConversation(conversation, id, turn.since);
  if (entries.length > 0) await keeper.store(entries);
  const before = tokensIn(items(conversation));
  const freed = entries.length === 0 ? 0 : before - tokensIn(keep);
  return { freedTokens: paged.freed + freed, heldTokens: paged.held + before };
}

function tokensIn(messages: Iterable<unknown>): number {
  let tokens = 0;
  for (const message of messages) tokens += estimateTokens(JSON.stringify(message));
  return tokens;
}
