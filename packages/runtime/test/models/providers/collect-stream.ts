import { type ConversationMessage, type ModelError, appendItems, emptyConversation } from '@pawl/core';
import type { Model, ModelChunk, ModelRequest } from '../../../src/models/model.ts';
import type { ToolDescription } from '../../../src/tools/tool.ts';

export type CollectedStream = {
  readonly text: string;
  readonly fragments: readonly string[];
  readonly last: Extract<ModelChunk, { readonly type: 'reply' | 'failure' }>;
};

/** Hears a model out and holds it to its contract: one reply or failure, at the end. */
export async function collectModelStream(
  model: Model,
  request: ModelRequest = createTextRequest('Hello?'),
  signal: AbortSignal = new AbortController().signal,
): Promise<CollectedStream> {
  let text = '';
  const fragments: string[] = [];
  const ends: CollectedStream['last'][] = [];
  for await (const chunk of model.stream(request, signal)) {
    if (ends.length > 0) throw new Error(`A ${chunk.type} came after the end.`);
    if (chunk.type === 'text') text += chunk.text;
    else if (chunk.type === 'call') fragments.push(chunk.fragment);
    else ends.push(chunk);
  }
  const [last] = ends;
  if (last === undefined) throw new Error('There was no end.');
  return { text, fragments, last };
}

/** The failure a request ends in. */
export async function collectModelFailure(
  model: Model,
  request?: ModelRequest,
  signal?: AbortSignal,
): Promise<ModelError> {
  const { last } = await collectModelStream(model, request, signal);
  if (last.type !== 'failure') throw new Error(`There was a reply: ${last.text.slice(0, 100)}`);
  return last.error;
}

export type ReplyChunk = Extract<ModelChunk, { readonly type: 'reply' }>;

export async function collectModelReply(model: Model, request?: ModelRequest): Promise<ReplyChunk> {
  const { last } = await collectModelStream(model, request);
  if (last.type !== 'reply') throw new Error(`There was a failure: ${last.error.message}`);
  return last;
}

export const readToolDescription: ToolDescription = {
  name: 'read',
  description: 'Reads a file.',
  parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
};

export function createTextRequest(text: string, others: Partial<ModelRequest> = {}): ModelRequest {
  return createMessagesRequest([{ role: 'user', at: 0, text }], others);
}

export function createMessagesRequest(
  messages: readonly ConversationMessage[],
  others: Partial<ModelRequest> = {},
): ModelRequest {
  const conversation = appendItems<ConversationMessage>(emptyConversation, messages);
  return {
    system: '',
    conversation,
    tools: [readToolDescription],
    advice: null,
    state: null,
    mode: null,
    ...others,
  };
}
