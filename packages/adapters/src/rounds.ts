import type { Json } from '@pawl/core';
import { hasTextResults, restoreTextResults } from './text-results.ts';
import { traceFormats, type RecordedStep, type TraceFormat } from '@pawl/governor/traces';

/** A user message, or one model reply with the results of its calls. `size` is its number of messages. */
export type ConversationRound =
  | { readonly type: 'person'; readonly size: number; readonly text: string }
  | {
      readonly type: 'reply';
      readonly size: number;
      readonly steps: readonly RecordedStep[];
      /** Calls were requested, and none has a result yet. */
      readonly isOpen: boolean;
      /** What the user wrote in answer to a completion tool; null if nothing. */
      readonly feedback: string | null;
    }
  /** Nothing to judge: instructions, or results without their calls. */
  | { readonly type: 'nothing'; readonly size: number };

/**
 * Splits messages into rounds. Splitting a history at once or from any of its rounds gives the same result. The last
 * round may be incomplete, because more results may follow.
 */
export function* splitRounds(messages: readonly Json[]): Generator<ConversationRound> {
  for (let start = 0; start < messages.length;) {
    const end = findRoundEnd(messages, start);
    yield parseRound(messages.slice(start, end));
    start = end;
  }
}

type MessageKind = 'person' | 'reply' | 'piece' | 'result' | 'other';

/** A reply extends to the last of its results. A reply in pieces begins with all adjacent pieces. */
function findRoundEnd(messages: readonly Json[], start: number): number {
  const kind = getMessageKind(messages[start]);
  let end = start + 1;
  if (kind === 'person' || kind === 'other') return end;
  if (kind === 'piece') while (getMessageKind(messages[end]) === 'piece') end += 1;
  while (getMessageKind(messages[end]) === 'result') end += 1;
  return end;
}

function parseRound(messages: readonly Json[]): ConversationRound {
  const size = messages.length;
  const kind = getMessageKind(messages[0]);
  const steps = kind === 'other' ? [] : parseMessageSteps(restoreTextResults(messages));
  if (kind === 'person') {
    return { type: 'person', size, text: steps.map(({ text = '' }) => text).join('\n') };
  }
  // Text that a harness adds next to tool results is not a user message.
  const replies = steps.filter(({ role }) => role === 'assistant');
  if (replies.length === 0) return { type: 'nothing', size };
  const isOpen = replies.some(isPendingStep) && getMessageKind(messages.at(-1)) !== 'result';
  return { type: 'reply', size, steps: replies, isOpen, feedback: findFeedback(steps) };
}

/** Only text that no tool can have written: what stands next to the results, and the result of a completion tool. */
function findFeedback(steps: readonly RecordedStep[]): string | null {
  for (const { role, tool, text = '', result = '' } of steps) {
    const isCompletion = tool === 'attempt_completion' && typeof result === 'string';
    const feedback = extractUserFeedback(role === 'assistant' ? (isCompletion ? result : '') : text);
    if (feedback !== null) return feedback;
  }
  return null;
}

/** Returns the user's text in the result of a completion tool, which is how some agents send it; null if there is none. */
function extractUserFeedback(text: string): string | null {
  const [, , feedback = ''] = /<(feedback|user_message)>([\s\S]*?)<\/\1>/.exec(text) ?? [];
  return feedback.trim() === '' ? null : feedback.trim();
}

function isPendingStep({ tool, result, error }: RecordedStep): boolean {
  return tool !== undefined && result === undefined && error === undefined;
}

/** The supported message formats, most specific first. */
const messageFormats: readonly TraceFormat[] = [
  'langchain',
  'ai-sdk',
  'anthropic',
  'openai-responses',
  'openai-chat',
]
  .map((name) => traceFormats.find((format) => format.name === name))
  .filter((format) => format !== undefined);

function parseMessageSteps(messages: readonly Json[]): readonly RecordedStep[] {
  const format = messageFormats.find(({ matches }) => matches(messages));
  return format?.parse(messages, '').runs[0]?.steps ?? [];
}

const kindByRole: Readonly<Record<string, MessageKind>> = {
  user: 'person',
  human: 'person',
  assistant: 'reply',
  ai: 'reply',
  tool: 'result',
  function: 'result',
};

/** Classifies a message by its author. Items of a reply in pieces have no role, or have a type as well. */
function getMessageKind(message: Json | undefined): MessageKind {
  const role = getOwnProperty(message, 'role');
  const type = getOwnProperty(message, 'type');
  if (role === undefined) return getItemKind(type) ?? getKindByRole(type);
  const kind = getKindByRole(role);
  if (kind === 'person' && (hasToolResults(message) || hasTextResults(message))) return 'result';
  return kind === 'reply' && type === 'message' ? 'piece' : kind;
}

function getItemKind(type: Json | undefined): MessageKind | undefined {
  if (typeof type !== 'string') return undefined;
  if (/_(?:output|result)$/.test(type)) return 'result';
  return type === 'reasoning' || type.endsWith('_call') ? 'piece' : undefined;
}

function getKindByRole(name: Json | undefined): MessageKind {
  return (
    (typeof name === 'string' && Object.hasOwn(kindByRole, name) ? kindByRole[name] : undefined) ?? 'other'
  );
}

/** Some formats send tool results as user messages. */
function hasToolResults(message: Json | undefined): boolean {
  const content = getOwnProperty(message, 'content');
  return (
    Array.isArray(content) && content.some((block: Json) => getOwnProperty(block, 'type') === 'tool_result')
  );
}

function getOwnProperty(value: Json | undefined, name: string): Json | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  return Object.hasOwn(value, name) ? (value as { readonly [key: string]: Json })[name] : undefined;
}
