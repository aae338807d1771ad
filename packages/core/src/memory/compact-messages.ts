import { toItemArray, type ConversationHistory } from '../conversation/conversation.ts';
import type { ConversationMessage, UserMessage } from '../conversation/message.ts';
import { stringifySafely, previewValue, type StoredEntry } from './memory.ts';
import { estimateTokens } from './estimate-tokens.ts';
import { toTagKey } from './memory-action.ts';

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

/**
 * Returns the indexes at which a conversation may be split, in order. A cut is safe if no call before it has its result
 * after it, if the later part does not begin with a result, and if no call before it still waits for its result. Linear
 * in the number of messages and calls.
 */
export function findSafeCuts(messages: readonly ConversationMessage[]): number[] {
  const furthestResults = findFurthestResults(messages);
  const cuts: number[] = [];
  let openUntil = 0;
  messages.forEach((message, index) => {
    if (index > 0 && index > openUntil && message.role !== 'tool') cuts.push(index);
    openUntil = Math.max(openUntil, furthestResults[index] ?? 0);
  });
  return cuts;
}

/**
 * For each message, the index of the last message that belongs to it: itself, a result, or the end for an open call.
 */
function findFurthestResults(messages: readonly ConversationMessage[]): readonly number[] {
  const lastDependentIndexes = messages.map((_, index) => index);
  // An id is unique only within its reply, so a result belongs to the latest call with that id.
  const callIndexes = new Map<string, number>();
  const open = new Set<string>();
  messages.forEach((message, index) => {
    if (message.role === 'assistant') {
      // A reply ends the previous round, so calls still open then get no result anymore.
      open.clear();
      for (const { id } of message.calls) {
        callIndexes.set(id, index);
        open.add(id);
      }
    }
    if (message.role !== 'tool') return;
    open.delete(message.callId);
    const callIndex = callIndexes.get(message.callId);
    if (callIndex !== undefined) lastDependentIndexes[callIndex] = index;
  });
  for (const id of open) lastDependentIndexes[callIndexes.get(id) ?? 0] = messages.length;
  return lastDependentIndexes;
}

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

export type CompactionSummaryOptions = {
  readonly tag: string;
  readonly at: number;
  /** The model's summary of the messages. */
  readonly summary?: string;
};

/** Creates the message that replaces compacted messages: how many, what they were about and how to find them. */
function createSummaryMessage(
  compacted: readonly ConversationMessage[],
  { tag, at, summary }: CompactionSummaryOptions,
): UserMessage {
  const alreadySummarized = compacted.reduce((sum, message) => sum + countSummarizedMessages(message), 0);
  const count =
    alreadySummarized + compacted.filter((message) => countSummarizedMessages(message) === 0).length;
  const requests = compacted
    .filter((message) => message.role === 'user' && countSummarizedMessages(message) === 0)
    .slice(-summarizedRequestsMax);
  const lines = [
    `[${count} earlier messages are in storage under the tag ${tag}; storage_search and storage_load bring them back.]`,
    ...requests.map((message) => `The user asked: ${previewMessageText(message)}`),
    ...(summary === undefined
      ? describeWithoutModel(compacted)
      : [`What happened: ${summary.slice(0, summaryTextMax)}`]),
  ];
  return { role: 'user', at, text: lines.join('\n') };
}

/** Upper bound of a summary, in characters: a summary must be shorter than what it replaces. */
export const summaryTextMax = 2_400;

/** Describes the messages without a model. */
function describeWithoutModel(compacted: readonly ConversationMessage[]): readonly string[] {
  const lastReply = compacted.findLast((message) => message.role === 'assistant' && message.text !== '');
  return [
    ...describeToolsUsed(compacted),
    ...(lastReply === undefined ? [] : [`The last word was: ${previewMessageText(lastReply)}`]),
  ];
}

const summarizedRequestsMax = 3;
const summarizedToolsMax = 10;

/** A summary that is compacted in turn still counts the messages it replaced. */
function countSummarizedMessages(message: ConversationMessage): number {
  if (message.role !== 'user') return 0;
  return Number(/^\[(\d{1,9}) earlier messages are in storage/.exec(message.text)?.[1] ?? 0);
}

function describeToolsUsed(compacted: readonly ConversationMessage[]): readonly string[] {
  const usage = new Map<string, { calls: number; failed: number }>();
  for (const message of compacted) {
    if (message.role !== 'tool') continue;
    const toolUsage = usage.get(message.tool) ?? { calls: 0, failed: 0 };
    const failed = toolUsage.failed + (message.outcome.ok ? 0 : 1);
    usage.set(message.tool, { calls: toolUsage.calls + 1, failed });
  }
  if (usage.size === 0) return [];
  const mostUsed = [...usage].toSorted(([, a], [, b]) => b.calls - a.calls).slice(0, summarizedToolsMax);
  const descriptions = mostUsed.map(([tool, { calls, failed }]) => {
    return `${previewValue(tool, 40)} ${calls} times${failed === 0 ? '' : `, ${failed} of them failed`}`;
  });
  return [`Tools used: ${descriptions.join('; ')}.`];
}

function previewMessageText(message: ConversationMessage): string {
  return message.role === 'tool' ? '' : previewValue(message.text, 300);
}
