import type { ConversationMessage, UserMessage } from '../conversation/message.ts';
import { stringifySafely } from './describe-memory.ts';
import { findSafeCuts } from './safe-cuts.ts';
import { createSummaryMessage } from './compaction-summary.ts';
import type { StoredEntry } from './stored-entry.ts';
import { toTagKey } from './tags.ts';

export type MessageCompactionOptions = {
  /** Maximum tokens the conversation may keep. */
  readonly keepTokens: number;
  /** How many of the last messages stay, whatever their size. */
  readonly keepLast: number;
  readonly estimate: (text: string) => number;
  /** Tag under which compacted messages are stored: one normalized tag, unique to this conversation. */
  readonly tag: string;
  readonly at: number;
  /** The model's summary of the compacted messages; omitted if there is no room for it. */
  readonly summary?: string;
};

export type MessageCompaction = {
  /** The remaining conversation: the goal, the summary and the last messages. */
  readonly kept: readonly ConversationMessage[];
  readonly compacted: readonly ConversationMessage[];
  /** Replaces the compacted messages in `kept`; null if nothing was compacted. */
  readonly summaryStub: UserMessage | null;
  /** The compacted messages as storage entries, one per group that belongs together. */
  readonly entries: readonly StoredEntry[];
  readonly fits: boolean;
};

/**
 * Moves the older part of a conversation to storage, enough to leave room for a summary. The first user message and the
 * last messages stay, and a call is never separated from its result.
 */
export function compactMessages(
  messages: readonly ConversationMessage[],
  options: MessageCompactionOptions,
): MessageCompaction {
  const { keepTokens, estimate } = options;
  const estimateMessage = (message: ConversationMessage): number => estimate(stringifySafely(message));
  const costs = messages.map(estimateMessage);
  const totalTokens = costs.reduce((sum, cost) => sum + cost, 0);
  const unchanged: MessageCompaction = {
    kept: messages,
    compacted: [],
    summaryStub: null,
    entries: [],
    fits: totalTokens <= keepTokens,
  };
  if (unchanged.fits) return unchanged;
  const goalIndex = messages.findIndex(({ role }) => role === 'user');
  const cut = chooseCompactionCut(messages, goalIndex, { costs, totalTokens, options });
  if (cut === null) return unchanged;
  const compacted = messages.slice(0, cut).filter((_, index) => index !== goalIndex);
  const { summary, ...withoutSummary } = options;
  for (const summaryOptions of summary === undefined ? [withoutSummary] : [options, withoutSummary]) {
    const summaryStub = createSummaryMessage(compacted, summaryOptions);
    const kept = [...messages.slice(goalIndex, goalIndex + 1), summaryStub, ...messages.slice(cut)];
    const remainingTokens = kept.reduce((sum, message) => sum + estimateMessage(message), 0);
    // A few short messages can be smaller than the summary that would replace them.
    if (remainingTokens < totalTokens)
      return {
        kept,
        compacted,
        summaryStub,
        entries: toStoredMessages(compacted, options),
        fits: remainingTokens <= keepTokens,
      };
  }
  return unchanged;
}

/** Returns the first safe cut that leaves little enough and room for the summary, otherwise the last safe cut. */
function chooseCompactionCut(
  messages: readonly ConversationMessage[],
  goalIndex: number,
  {
    costs,
    totalTokens,
    options,
  }: {
    readonly costs: readonly number[];
    readonly totalTokens: number;
    readonly options: MessageCompactionOptions;
  },
): number | null {
  const { keepTokens, keepLast } = options;
  const targetTokens = keepTokens - Math.min(summaryTokens, keepTokens / 4);
  const cuts = findSafeCuts(messages).filter(
    (cut) => cut > goalIndex + 1 && cut <= messages.length - keepLast,
  );
  let remainingTokens = totalTokens;
  let from = 0;
  for (const cut of cuts) {
    for (; from < cut; from += 1) remainingTokens -= from === goalIndex ? 0 : (costs[from] ?? 0);
    if (remainingTokens <= targetTokens) return cut;
  }
  return cuts.at(-1) ?? null;
}

/** Approximate size of the longest summary. */
const summaryTokens = 400;

/** Creates one entry per self-contained group: a message, or calls with their results. */
function toStoredMessages(
  compacted: readonly ConversationMessage[],
  { tag, at }: MessageCompactionOptions,
): readonly StoredEntry[] {
  const cuts = [...findSafeCuts(compacted), compacted.length];
  let from = 0;
  return cuts.map((cut): StoredEntry => {
    const group = compacted.slice(from, cut);
    const key = toTagKey([tag, `messages_${at}_${from + 1}`]);
    from = cut;
    return { key, value: group, kind: 'conversation', savedAt: at };
  });
}
