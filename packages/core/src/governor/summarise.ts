import { toArray, type Conversation } from '../conversation/conversation.ts';
import type { Message, ToolMessage } from '../conversation/message.ts';
import { textOf } from './observation.ts';

/** How many findings are quoted, and how much of each. */
const findingsMax = 3;
const findingMax = 300;

/**
 * What the last turn came to, made from the conversation alone: time spent, what was tried, what was found, and why it
 * ended. For when there is no model left to say it.
 */
export function summarise(conversation: Conversation<Message>, why: string): string {
  const turn = lastTurn(toArray(conversation));
  const results = turn.filter((message) => message.role === 'tool');
  const seconds = Math.max(0, (turn.at(-1)?.at ?? 0) - (turn[0]?.at ?? 0)) / 1_000;
  const found = findings(results);
  return [
    `I stopped after ${seconds.toFixed(0)} s and ${results.length} tool calls: ${why}.`,
    results.length === 0 ? 'Nothing was tried.' : `Tried: ${tried(results)}.`,
    found.length === 0 ? 'Nothing was found.' : ['Found:', ...found.map((each) => `- ${each}`)].join('\n'),
  ].join('\n');
}

function lastTurn(messages: readonly Message[]): readonly Message[] {
  const start = messages.findLastIndex((message) => message.role === 'user');
  return messages.slice(Math.max(0, start));
}

/** Each tool with how often it was called and how often that failed. */
function tried(results: readonly ToolMessage[]): string {
  return [...Map.groupBy(results, (result) => result.tool)]
    .map(([tool, calls]) => {
      const failed = calls.filter((call) => !call.outcome.ok).length;
      return `${tool} ${calls.length}×${failed === 0 ? '' : ` (${failed} failed)`}`;
    })
    .join(', ');
}

/** The newest different things that tools said, oldest first. */
function findings(results: readonly ToolMessage[]): readonly string[] {
  const said = results.flatMap(({ tool, outcome }) => {
    if (!outcome.ok) return [];
    const line = textOf(outcome.output).replaceAll(/\s+/g, ' ').trim();
    return line === ''
      ? []
      : [`${tool}: ${line.length > findingMax ? `${line.slice(0, findingMax)}…` : line}`];
  });
  return [...new Set(said.toReversed())].slice(0, findingsMax).toReversed();
}
