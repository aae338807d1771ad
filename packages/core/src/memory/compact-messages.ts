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
  /** Replaces the compacted messages in `keep`; null if nothing was compacted. */
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
  const costOf = (message: ConversationMessage): number => estimate(stringifySafely(message));
  const costs = messages.map(costOf);
  const all = costs.reduce((sum, cost) => sum + cost, 0);
  const whole: MessageCompaction = {
    kept: messages,
    compacted: [],
    summaryStub: null,
    entries: [],
    fits: all <= keepTokens,
  };
  if (whole.fits) return whole;
  const goal = messages.findIndex(({ role }) => role === 'user');
  const cut = chooseCompactionCut(messages, goal, { costs, all, options });
  if (cut === null) return whole;
  const compacted = messages.slice(0, cut).filter((_, index) => index !== goal);
  const { summary, ...plain } = options;
  for (const summarised of summary === undefined ? [plain] : [options, plain]) {
    const summaryStub = createSummaryMessage(compacted, summarised);
    const kept = [...messages.slice(goal, goal + 1), summaryStub, ...messages.slice(cut)];
    const left = kept.reduce((sum, message) => sum + costOf(message), 0);
    // A few short messages can be smaller than the summary that would replace them.
    if (left < all)
      return {
        kept,
        compacted,
        summaryStub,
        entries: toStoredMessages(compacted, options),
        fits: left <= keepTokens,
      };
  }
  return whole;
}

/** Returns the first safe cut that leaves little enough and room for the summary, otherwise the last safe cut. */
function chooseCompactionCut(
  messages: readonly ConversationMessage[],
  goal: number,
  {
    costs,
    all,
    options,
  }: { readonly costs: readonly number[]; readonly all: number; readonly options: MessageCompactionOptions },
): number | null {
  const { keepTokens, keepLast } = options;
  const aim = keepTokens - Math.min(summaryTokens, keepTokens / 4);
  const cuts = findSafeCuts(messages).filter((cut) => cut > goal + 1 && cut <= messages.length - keepLast);
  let left = all;
  let from = 0;
  for (const cut of cuts) {
    for (; from < cut; from += 1) left -= from === goal ? 0 : (costs[from] ?? 0);
    if (left <= aim) return cut;
  }
  return cuts.at(-1) ?? null;
}

/** Approximate size of the longest summary. */
const summaryTokens = 400;

/** Creates one entry per self-contained group: a message, or calls with their results. */
function toStoredMessages(
  shelved: readonly ConversationMessage[],
  { tag, at }: MessageCompactionOptions,
): readonly StoredEntry[] {
  const cuts = [...findSafeCuts(shelved), shelved.length];
  let from = 0;
  return cuts.map((cut): StoredEntry => {
    const stretch = shelved.slice(from, cut);
    const key = toTagKey([tag, `messages_${at}_${from + 1}`]);
    from = cut;
    return { key, value: stretch, kind: 'conversation', savedAt: at };
  });
}
