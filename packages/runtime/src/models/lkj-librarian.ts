import { items, type Conversation, type Json, type Message, type RequestedCall } from '@pawl/core';
import type { Codec, ProtocolContext } from '../protocols/codec.ts';
import { nothingSaid, type Said } from '../protocols/decision.ts';
import { keywordsOf } from './librarian-goal.ts';
import { createLibrarian } from './librarian.ts';
import type { Model, ModelChunk, ModelRequest } from './model.ts';

/**
 * The librarian in the manner of LKJAgent, one step a reply, written in a protocol of text: it thinks about what to do,
 * does it, and looks at what came of it. Its answer goes on the shelf before it is given.
 */
export function createLkjLibrarian(codec: Codec, logs: ProtocolContext['logs']): Model {
  const librarian = createLibrarian();
  return {
    name: librarian.name,
    async *stream(request, signal) {
      const next = await replyOf(librarian, request, signal);
      if (next.type === 'failure' || request.tools.length === 0) return yield next;
      const context = { tools: request.tools, states: request.mode?.next ?? [], logs, callsMax: 1 };
      const { text, calls } = codec.encode(inMode(request, next), context);
      yield { type: 'reply', text, calls };
    },
  };
}

type Replied = Extract<ModelChunk, { readonly type: 'reply' }>;

function inMode(request: ModelRequest, { text, calls }: Replied): Said {
  const act = request.mode?.next.find((state) => state === 'commanding' || state === 'executing');
  switch (request.mode?.state) {
    case 'commanding':
    case 'executing':
      return { ...nothingSaid, calls: [onShelf(request, calls, text)] };
    case 'evaluating':
      return {
        ...nothingSaid,
        logs: { think: null, evaluation: verdictOn(request.conversation) },
        nextState: 'thinking',
      };
    default:
      return { ...nothingSaid, logs: { think: text, evaluation: null }, nextState: act ?? 'thinking' };
  }
}

/** What the librarian would do next, one call at a time. An answer is put on the shelf before it is given. */
function onShelf(
  { conversation, tools }: ModelRequest,
  [call]: readonly RequestedCall[],
  text: string,
): RequestedCall {
  const next = call ?? { tool: 'finish', args: { answer: text } };
  const canSave = tools.some(({ name }) => name === 'storage_save');
  if (next.tool !== 'finish' || !canSave || hasSaved(conversation)) return next;
  const answer = (next.args as { readonly [name: string]: Json })['answer'] ?? text;
  return { tool: 'storage_save', args: { tags: tagsFor(conversation), value: answer } };
}

/** The words of the question, so that the answer is found again by them. */
function tagsFor(conversation: Conversation<Message>): string {
  const goal = [...items(conversation)].findLast(({ role }) => role === 'user');
  const words = goal?.role === 'user' ? keywordsOf(goal.text).slice(0, tagWordsMax) : [];
  return ['answer', ...words].join('_').toLowerCase();
}

const tagWordsMax = 5;

function hasSaved(conversation: Conversation<Message>): boolean {
  const messages = [...items(conversation)];
  const asked = messages.findLastIndex(({ role }) => role === 'user');
  return messages.slice(asked).some((message) => message.role === 'tool' && message.tool === 'storage_save');
}

function verdictOn(conversation: Conversation<Message>): string {
  const last = [...items(conversation)].at(-1);
  if (last?.role !== 'tool') return 'Nothing was done.';
  return last.outcome.ok ? `${last.tool} was done.` : `${last.tool} failed: ${last.outcome.error.message}`;
}

/** The whole reply. The librarian keeps the contract of a model: the last chunk is the reply or the failure. */
async function replyOf(
  model: Model,
  request: ModelRequest,
  signal: AbortSignal,
): Promise<Extract<ModelChunk, { readonly type: 'reply' | 'failure' }>> {
  for await (const chunk of model.stream(request, signal)) {
    if (chunk.type === 'reply' || chunk.type === 'failure') return chunk;
  }
  return { type: 'failure', error: { kind: 'truncated', message: 'The librarian said nothing.' } };
}
