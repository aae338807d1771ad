import {
  getConversation,
  type ConversationMessage,
  type Session,
  type PagingSummaries,
  type TokenUsage,
} from '@pawl/core';
import { iterateItems } from '@pawl/core/conversation';
import { estimateTokens, halveConversation } from '@pawl/core/memory';
import type { CompactionReport } from '../agent-dependencies.ts';
import type { MemoryManager } from './memory-manager.ts';
import { formatEntryPart, formatMessagePart, summarizeRecord, type SummarizeContext } from './summarize.ts';

/**
 * Moves context to storage: working memory entries beyond the limit and, if a model request exceeded the context
 * window, the older half of the conversation. With a summary model, a summary replaces the moved content.
 */
export async function compactContext(
  manager: MemoryManager,
  session: Session,
  summarizeContext: SummarizeContext | null = null,
): Promise<CompactionReport> {
  const { turn, settings, memory } = session;
  const writer = createSummaryWriter(summarizeContext);
  const paged = memory === null ? noCompaction : await pageMemoryEntries(manager, writer);
  const shouldCompact = turn.status === 'paging' && turn.work.asking && settings.compact;
  const compacted = shouldCompact ? await compactOlderMessages(manager, session, writer) : noCompaction;
  return {
    freedTokens: paged.freedTokens + compacted.freedTokens,
    heldTokens: paged.heldTokens + compacted.heldTokens,
    ...writer.report({ memory: paged.summary, conversation: compacted.summary }),
  };
}

type ContextCompaction = {
  readonly freedTokens: number;
  readonly heldTokens: number;
  readonly summary?: string | undefined;
};

const noCompaction: ContextCompaction = { freedTokens: 0, heldTokens: 0 };

async function pageMemoryEntries(manager: MemoryManager, writer: SummaryWriter): Promise<ContextCompaction> {
  const { freed: freedTokens, heldTokens, effects } = await manager.page();
  return {
    freedTokens,
    heldTokens,
    summary: await writer.write(effects.map(({ entry }) => formatEntryPart(entry))),
  };
}

async function compactOlderMessages(
  manager: MemoryManager,
  session: Session,
  writer: SummaryWriter,
): Promise<ContextCompaction> {
  const conversation = getConversation(session);
  const halving = { id: session.id, at: session.turn.since };
  const { entries, compacted } = halveConversation(conversation, halving);
  const heldTokens = countMessageTokens(iterateItems(conversation));
  if (entries.length === 0) return { freedTokens: 0, heldTokens };
  await manager.store(entries);
  const summary = await writer.write(compacted.map(formatMessagePart));
  const { kept } = halveConversation(conversation, { ...halving, summary });
  return { freedTokens: heldTokens - countMessageTokens(kept), heldTokens, summary };
}

type SummaryWriter = {
  /** Summarizes the parts; undefined if there is no model or no summary. */
  write(parts: readonly string[]): Promise<string | undefined>;
  /** Returns the summaries that were used and the total usage. */
  report(summaries: { readonly [Part in keyof PagingSummaries]?: string | undefined }): Pick<
    CompactionReport,
    'summaries' | 'usage'
  >;
};

function createSummaryWriter(context: SummarizeContext | null): SummaryWriter {
  let usage: TokenUsage | null = null;
  return {
    async write(parts) {
      if (context === null || parts.length === 0) return undefined;
      const summary = await summarizeRecord(parts, context);
      if (summary === null) return undefined;
      if (summary.usage !== undefined)
        usage = usage === null ? summary.usage : sumUsage(usage, summary.usage);
      return summary.text === '' ? undefined : summary.text;
    },
    report({ memory, conversation }) {
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
