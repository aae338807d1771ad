import { traceFormats, type Json, type RecordedStep, type TraceFormat } from '@pawl/core';

/** What a person said, or one reply of the model with the results of its calls. `size` is its number of messages. */
export type Round =
  | { readonly type: 'person'; readonly size: number; readonly text: string }
  | {
      readonly type: 'reply';
      readonly size: number;
      readonly steps: readonly RecordedStep[];
      /** Its calls have been asked for and nothing has come of any of them yet. */
      readonly isOpen: boolean;
    }
  /** Nothing to judge: instructions, or results whose calls are gone. */
  | { readonly type: 'nothing'; readonly size: number };

/**
 * Cuts messages into rounds. It makes no difference whether a history is cut at one go or from one of its rounds on. The
 * last one may be incomplete, since more results may follow.
 */
export function* roundsIn(messages: readonly Json[]): Generator<Round> {
  for (let start = 0; start < messages.length;) {
    const end = endOfRound(messages, start);
    yield roundOf(messages.slice(start, end));
    start = end;
  }
}

type Kind = 'person' | 'reply' | 'piece' | 'result' | 'other';

/** A reply goes up to the last of its results. Where it comes in pieces, it begins with those that stand together. */
function endOfRound(messages: readonly Json[], start: number): number {
  const kind = kindOf(messages[start]);
  let end = start + 1;
  if (kind === 'person' || kind === 'other') return end;
  if (kind === 'piece') while (kindOf(messages[end]) === 'piece') end += 1;
  while (kindOf(messages[end]) === 'result') end += 1;
  return end;
}

function roundOf(messages: readonly Json[]): Round {
  const size = messages.length;
  const kind = kindOf(messages[0]);
  const steps = kind === 'other' ? [] : stepsOf(messages);
  if (kind === 'person') {
    return { type: 'person', size, text: steps.map(({ text = '' }) => text).join('\n') };
  }
  // What a harness says next to the results of calls is no person's word.
  const replies = steps.filter(({ role }) => role === 'assistant');
  if (replies.length === 0) return { type: 'nothing', size };
  const isOpen = replies.some(isUnanswered) && kindOf(messages.at(-1)) !== 'result';
  return { type: 'reply', size, steps: replies, isOpen };
}

function isUnanswered({ tool, result, error }: RecordedStep): boolean {
  return tool !== undefined && result === undefined && error === undefined;
}

/** The formats that messages of a conversation come in, the most specific first. */
const formats: readonly TraceFormat[] = [
  'langchain',
  'ai-sdk',
  'anthropic',
  'openai-responses',
  'openai-chat',
]
  .map((name) => traceFormats.find((format) => format.name === name))
  .filter((format) => format !== undefined);

function stepsOf(messages: readonly Json[]): readonly RecordedStep[] {
  const format = formats.find(({ recognise }) => recognise(messages));
  return format?.parse(messages, '').runs[0]?.steps ?? [];
}

const kinds: Readonly<Record<string, Kind>> = {
  user: 'person',
  human: 'person',
  assistant: 'reply',
  ai: 'reply',
  tool: 'result',
  function: 'result',
};

/** Whose message it is. Items of a reply that comes in pieces have no role, or have a type as well. */
function kindOf(message: Json | undefined): Kind {
  const role = own(message, 'role');
  const type = own(message, 'type');
  if (role === undefined) return kindOfItem(type) ?? kindNamed(type);
  const kind = kindNamed(role);
  if (kind === 'person' && holdsResults(message)) return 'result';
  return kind === 'reply' && type === 'message' ? 'piece' : kind;
}

function kindOfItem(type: Json | undefined): Kind | undefined {
  if (typeof type !== 'string') return undefined;
  if (/_(?:output|result)$/.test(type)) return 'result';
  return type === 'reasoning' || type.endsWith('_call') ? 'piece' : undefined;
}

function kindNamed(name: Json | undefined): Kind {
  return (typeof name === 'string' && Object.hasOwn(kinds, name) ? kinds[name] : undefined) ?? 'other';
}

/** Some bring the results of tools in the user's name. */
function holdsResults(message: Json | undefined): boolean {
  const content = own(message, 'content');
  return Array.isArray(content) && content.some((block: Json) => own(block, 'type') === 'tool_result');
}

function own(value: Json | undefined, name: string): Json | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  return Object.hasOwn(value, name) ? (value as { readonly [key: string]: Json })[name] : undefined;
}
