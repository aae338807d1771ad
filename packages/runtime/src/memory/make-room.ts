import {
  conversationOf,
  estimateTokens,
  halveConversation,
  items,
  type Message,
  type Session,
  type Summaries,
  type Usage,
} from '@pawl/core';
import type { Freed } from '../work.ts';
import type { MemoryKeeper } from './memory-keeper.ts';
import { entryPart, partOf, summarise, type SummariseMeans } from './summarise.ts';

/**
 * Moves to storage what the session is about to lose: entries of working memory beyond its limit and, where a model found
 * no room, the older half of the conversation. If there is a model to write summaries, its words stand in their place.
 */
export async function makeRoom(
  keeper: MemoryKeeper,
  session: Session,
  writer: SummariseMeans | null = null,
): Promise<Freed> {
  const { turn, settings, memory } = session;
  const scribe = createScribe(writer);
  const ofMemory = memory === null ? nothing : await pageMemory(keeper, scribe);
  const shortens = turn.status === 'paging' && turn.work.asking && settings.compact;
  const ofMessages = shortens ? await shelveHalf(keeper, session, scribe) : nothing;
  return {
    freedTokens: ofMemory.freed + ofMessages.freed,
    heldTokens: ofMemory.held + ofMessages.held,
    ...scribe.told({ memory: ofMemory.words, conversation: ofMessages.words }),
  };
}

type Room = { readonly freed: number; readonly held: number; readonly words?: string | undefined };

const nothing: Room = { freed: 0, held: 0 };

async function pageMemory(keeper: MemoryKeeper, scribe: Scribe): Promise<Room> {
  const { freed, held, effects } = await keeper.page();
  return { freed, held, words: await scribe.write(effects.map(({ entry }) => entryPart(entry))) };
}

async function shelveHalf(keeper: MemoryKeeper, session: Session, scribe: Scribe): Promise<Room> {
  const conversation = conversationOf(session);
  const halving = { id: session.id, at: session.turn.since };
  const { entries, shelved } = halveConversation(conversation, halving);
  const held = tokensIn(items(conversation));
  if (entries.length === 0) return { freed: 0, held };
  await keeper.store(entries);
  const words = await scribe.write(shelved.map(partOf));
  const { keep } = halveConversation(conversation, { ...halving, words });
  return { freed: held - tokensIn(keep), held, words };
}

type Scribe = {
  /** What the model says about the parts of a record; undefined when there is no model, or it says nothing. */
  write(parts: readonly string[]): Promise<string | undefined>;
  /** What the session is told of it: the words that were used, and what writing all of them cost. */
  told(words: { readonly [Part in keyof Summaries]?: string | undefined }): Pick<
    Freed,
    'summaries' | 'usage'
  >;
};

function createScribe(means: SummariseMeans | null): Scribe {
  let usage: Usage | null = null;
  return {
    async write(parts) {
      if (means === null || parts.length === 0) return undefined;
      const summary = await summarise(parts, means);
      if (summary === null) return undefined;
      if (summary.usage !== undefined) usage = usage === null ? summary.usage : sum(usage, summary.usage);
      return summary.text === '' ? undefined : summary.text;
    },
    told({ memory, conversation }) {
      const summaries = { ...(memory && { memory }), ...(conversation && { conversation }) };
      return {
        ...(Object.keys(summaries).length > 0 && { summaries }),
        ...(usage !== null && { usage }),
      };
    },
  };
}

function sum(a: Usage, b: Usage): Usage {
  const tokens = {
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
  };
  const isPriced = a.cost !== undefined || b.cost !== undefined;
  return isPriced ? { ...tokens, cost: (a.cost ?? 0) + (b.cost ?? 0) } : tokens;
}

function tokensIn(messages: Iterable<Message>): number {
  let tokens = 0;
  for (const message of messages) tokens += estimateTokens(JSON.stringify(message));
  return tokens;
}
