import { toItemArray, type ConversationHistory } from './conversation.ts';
import type { ConversationMessage, ToolMessage } from './message.ts';
import { formatToolOutput } from '@pawl/governor';

/** How many tool outputs are quoted, and how many characters of each. */
const quotedOutputsMax = 3;
const quotedOutputMax = 300;

/**
 * Summarizes the last turn from the conversation alone: time spent, calls tried, outputs found and why it ended. Used
 * when no model call is left to do it.
 */
export function summarizeTurn(
  conversation: ConversationHistory<ConversationMessage>,
  reason: string,
): string {
  const turn = getLastTurn(toItemArray(conversation));
  const results = turn.filter((message) => message.role === 'tool');
  const seconds = Math.max(0, (turn.at(-1)?.at ?? 0) - (turn[0]?.at ?? 0)) / 1_000;
  const found = listDistinctOutputs(results);
  return [
    `I stopped after ${seconds.toFixed(0)} s and ${results.length} tool calls: ${reason}.`,
    results.length === 0 ? 'Nothing was tried.' : `Tried: ${describeToolUse(results)}.`,
    found.length === 0 ? 'Nothing was found.' : ['Found:', ...found.map((each) => `- ${each}`)].join('\n'),
  ].join('\n');
}

function getLastTurn(messages: readonly ConversationMessage[]): readonly ConversationMessage[] {
  const start = messages.findLastIndex((message) => message.role === 'user');
  return messages.slice(Math.max(0, start));
}

/** Lists each tool with its number of calls and failures. */
function describeToolUse(results: readonly ToolMessage[]): string {
  return [...Map.groupBy(results, (result) => result.tool)]
    .map(([tool, calls]) => {
      const failed = calls.filter((call) => !call.outcome.ok).length;
      return `${tool} ${calls.length}×${failed === 0 ? '' : ` (${failed} failed)`}`;
    })
    .join(', ');
}

/** Returns the latest distinct tool outputs, oldest first. */
function listDistinctOutputs(results: readonly ToolMessage[]): readonly string[] {
  const outputs = results.flatMap(({ tool, outcome }) => {
    if (!outcome.ok) return [];
    const line = formatToolOutput(outcome.output).replaceAll(/\s+/g, ' ').trim();
    return line === ''
      ? []
      : [`${tool}: ${line.length > quotedOutputMax ? `${line.slice(0, quotedOutputMax)}…` : line}`];
  });
  return [...new Set(outputs.toReversed())].slice(0, quotedOutputsMax).toReversed();
}
