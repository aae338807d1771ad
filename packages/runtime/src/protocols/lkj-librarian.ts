import type { ReplyChunk, Model, ModelChunk, ModelRequest } from '../models/model.ts';
import {
  iterateItems,
  type Json,
  type ConversationMessage,
  type RequestedCall,
  type ConversationHistory,
} from '@pawl/core';
import {
  emptyReplyPayload,
  type ProtocolCodec,
  type ProtocolContext,
  type ReplyPayload,
} from './decision.ts';
import { extractKeywords } from '../models/librarian-queries.ts';
import { createLibrarian } from '../models/librarian.ts';

/**
 * The librarian in the style of LKJAgent: one step per reply in a text protocol, cycling through thinking, executing
 * and evaluating. It saves its answer to storage before it finishes.
 */
export function createLkjLibrarian(codec: ProtocolCodec, logs: ProtocolContext['logs']): Model {
  const librarian = createLibrarian();
  return {
    name: librarian.name,
    async *stream(request, signal) {
      const next = await collectReply(librarian, request, signal);
      if (next.type === 'failure' || request.tools.length === 0) return yield next;
      const context = { tools: request.tools, states: request.mode?.next ?? [], logs, callsMax: 1 };
      const { text, calls } = codec.encode(toModeReply(request, next), context);
      yield { type: 'reply', text, calls };
    },
  };
}

function toModeReply(request: ModelRequest, { text, calls }: ReplyChunk): ReplyPayload {
  const actState = request.mode?.next.find((state) => state === 'commanding' || state === 'executing');
  switch (request.mode?.state) {
    case 'commanding':
    case 'executing':
      return { ...emptyReplyPayload, calls: [insertSaveCall(request, calls, text)] };
    case 'evaluating':
      return {
        ...emptyReplyPayload,
        logs: { think: null, evaluation: describeLastResult(request.conversation) },
        nextState: 'thinking',
      };
    default:
      return {
        ...emptyReplyPayload,
        logs: { think: text, evaluation: null },
        nextState: actState ?? 'thinking',
      };
  }
}

/** Returns the librarian's next call. A finish call is preceded by one that saves the answer to storage. */
function insertSaveCall(
  { conversation, tools }: ModelRequest,
  [call]: readonly RequestedCall[],
  text: string,
): RequestedCall {
  const next = call ?? { tool: 'finish', args: { answer: text } };
  const canSave = tools.some(({ name }) => name === 'storage_save');
  if (next.tool !== 'finish' || !canSave || hasSavedAnswer(conversation)) return next;
  const answer = (next.args as { readonly [name: string]: Json })['answer'] ?? text;
  return { tool: 'storage_save', args: { tags: buildAnswerTags(conversation), value: answer } };
}

/** Tags the answer with the keywords of the question, so that they find it again. */
function buildAnswerTags(conversation: ConversationHistory<ConversationMessage>): string {
  const goal = [...iterateItems(conversation)].findLast(({ role }) => role === 'user');
  const words = goal?.role === 'user' ? extractKeywords(goal.text).slice(0, tagWordsMax) : [];
  return ['answer', ...words].join('_').toLowerCase();
}

const tagWordsMax = 5;

function hasSavedAnswer(conversation: ConversationHistory<ConversationMessage>): boolean {
  const messages = [...iterateItems(conversation)];
  const goalIndex = messages.findLastIndex(({ role }) => role === 'user');
  return messages
    .slice(goalIndex)
    .some((message) => message.role === 'tool' && message.tool === 'storage_save');
}

function describeLastResult(conversation: ConversationHistory<ConversationMessage>): string {
  const last = [...iterateItems(conversation)].at(-1);
  if (last?.role !== 'tool') return 'Nothing was done.';
  return last.outcome.ok ? `${last.tool} was done.` : `${last.tool} failed: ${last.outcome.error.message}`;
}

/** Returns the final chunk of the stream: the reply or the failure. */
async function collectReply(
  model: Model,
  request: ModelRequest,
  signal: AbortSignal,
): Promise<Extract<ModelChunk, { readonly type: 'reply' | 'failure' }>> {
  for await (const chunk of model.stream(request, signal)) {
    if (chunk.type === 'reply' || chunk.type === 'failure') return chunk;
  }
  return { type: 'failure', error: { kind: 'truncated', message: 'The librarian returned no reply.' } };
}
