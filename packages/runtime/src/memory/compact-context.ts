import {
  getConversation,
  estimateTokens,
  halveConversation,
  iterateItems,
  type ConversationMessage,
  type Session,
  type PagingSummaries,
  type TokenUsage,
} from '@pawl/core';
import type { CompactionReport } from '../agent-dependencies.ts';
import type { MemoryManager } from './memory-manager.ts';
import { formatEntryPart, formatMessagePart, summarizeRecord, type SummarizeContext } from './summarize.ts';

/**
 * Moves context to storage: working memory entries beyond the limit and, if a model request exceeded the context
 * window, the older half of the conversation. With a summary model, a summary replaces the moved content.
 */
export async function compactContext(
  keeper: MemoryManager,
  session: Session,
  writer: SummarizeContext | null = null,
): Promise<CompactionReport> {
  const { turn, settings, memory } = session;
  const scribe = createSummaryWriter(writer);
  const ofMemory = memory === null ? noCompaction : await pageMemoryEntries(keeper, scribe);
  const shortens = turn.status === 'paging' && turn.work.asking && settings.compact;
  const ofMessages = shortens ? await compactOlderMessages(keeper, session, scribe) : noCompaction;
  return {
    freedTokens: ofMemory.freed + ofMessages.freed,
    heldTokens: ofMemory.held + ofMessages.held,
    ...scribe.told({ memory: ofMemory.words, conversation: ofMessages.words }),
  };
}

type ContextCompaction = {
  readonly freed: number;
  readonly held: number;
  readonly words?: string | undefined;
};

const noCompaction: ContextCompaction = { freed: 0, held: 0 };

async function pageMemoryEntries(keeper: MemoryManager, scribe: SummaryWriter): Promise<ContextCompaction> {
  const { freed, heldTokens, effects } = await keeper.page();
  return {
    freed,
    held: heldTokens,
    words: await scribe.write(effects.map(({ entry }) => formatEntryPart(entry))),
  };
}

async function compactOlderMessages(
  keeper: MemoryManager,
  session: Session,
  scribe: SummaryWriter,
): Promise<ContextCompaction> {
  const conversation = getConversation(session);
  const halving = { id: session.id, at: session.turn.since };
  const { entries, compacted } = halveConversation(conversation, halving);
  const held = countMessageTokens(iterateItems(conversation));
  if (entries.length === 0) return { freed: 0, held };
  await keeper.store(entries);
  const summary = await scribe.write(compacted.map(formatMessagePart));
  const { kept } = halveConversation(conversation, { ...halving, summary });
  return { freed: held - countMessageTokens(kept), held, words: summary };
}

type SummaryWriter = {
  /** Summarizes the parts; undefined if there is no model or no summary. */
  write(parts: readonly string[]): Promise<string | undefined>;
  /** Returns the summaries that were used and the total usage. */
  told(words: { readonly [Part in keyof PagingSummaries]?: string | undefined }): Pick<
    CompactionReport,
    'summaries' | 'usage'
  >;
};

function createSummaryWriter(means: SummarizeContext | null): SummaryWriter {
  let usage: TokenUsage | null = null;
  return {
    async write(parts) {
      if (means === null || parts.length === 0) return undefined;
      const summary = await summarizeRecord(parts, means);
      if (summary === null) return undefined;
      if (summary.usage !== undefined)
        usage = usage === null ? summary.usage : sumUsage(usage, summary.usage);
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

function sumUsage(a: TokenUsage, b: TokenUsage): TokenUsage {
  const tokens = {
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
  };
  const isPriced = a.cost !== undefined || b.cost !== undefined;
  return isPriced ? { ...tokens, cost: (a.cost ?? 0) + (b.cost ?? 0) } : tokens;
}

function countMessageTokens(messages: Iterable<ConversationMessage>): number {
  let tokens = 0;
  for (const message of messages) tokens += estimateTokens(JSON.stringify(message));
  return tokens;
}
