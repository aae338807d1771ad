import type { Message, UserMessage } from '../conversation/message.ts';
import { shown } from './describe.ts';

export type SummaryOptions = {
  readonly tag: string;
  readonly at: number;
  /** What a model says they were about. */
  readonly words?: string;
};

/** What stands in a conversation for the messages that were shelved: how many, what they were about, how to find them. */
export function summaryOf(shelved: readonly Message[], { tag, at, words }: SummaryOptions): UserMessage {
  const before = shelved.reduce((sum, message) => sum + countIn(message), 0);
  const count = before + shelved.filter((message) => countIn(message) === 0).length;
  const asked = shelved
    .filter((message) => message.role === 'user' && countIn(message) === 0)
    .slice(-asksMax);
  const lines = [
    `[${count} earlier messages are in storage under the tag ${tag}; storage_search and storage_load bring them back.]`,
    ...asked.map((message) => `The user asked: ${textOf(message)}`),
    ...(words === undefined ? gist(shelved) : [`What happened: ${words.slice(0, wordsMax)}`]),
  ];
  return { role: 'user', at, text: lines.join('\n') };
}

/** A summary that is as long as what it stands for is none. */
export const wordsMax = 2_400;

/** What can be said without a model. */
function gist(shelved: readonly Message[]): readonly string[] {
  const said = shelved.findLast((message) => message.role === 'assistant' && message.text !== '');
  return [...toolsUsed(shelved), ...(said === undefined ? [] : [`The last word was: ${textOf(said)}`])];
}

const asksMax = 3;
const toolsMax = 10;

/** A summary that is shelved in its turn still counts for the messages it stands for. */
function countIn(message: Message): number {
  if (message.role !== 'user') return 0;
  return Number(/^\[(\d{1,9}) earlier messages are in storage/.exec(message.text)?.[1] ?? 0);
}

function toolsUsed(shelved: readonly Message[]): readonly string[] {
  const uses = new Map<string, { calls: number; failed: number }>();
  for (const message of shelved) {
    if (message.role !== 'tool') continue;
    const use = uses.get(message.tool) ?? { calls: 0, failed: 0 };
    const failed = use.failed + (message.outcome.ok ? 0 : 1);
    uses.set(message.tool, { calls: use.calls + 1, failed });
  }
  if (uses.size === 0) return [];
  const most = [...uses].toSorted(([, a], [, b]) => b.calls - a.calls).slice(0, toolsMax);
  const named = most.map(([tool, { calls, failed }]) => {
    return `${shown(tool, 40)} ${calls} times${failed === 0 ? '' : `, ${failed} of them failed`}`;
  });
  return [`Tools used: ${named.join('; ')}.`];
}

function textOf(message: Message): string {
  return message.role === 'tool' ? '' : shown(message.text, 300);
}
