import type { ConversationMessage, UserMessage } from '../conversation/message.ts';
import { previewValue } from './describe-memory.ts';

export type CompactionSummaryOptions = {
  readonly tag: string;
  readonly at: number;
  /** The model's summary of the messages. */
  readonly summary?: string;
};

/** Creates the message that replaces compacted messages: how many, what they were about and how to find them. */
export function createSummaryMessage(
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
