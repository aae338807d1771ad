import { appendAll, emptyConversation, type Message, type ModelError } from '@pawl/core';
import type { Model, ModelChunk, ModelRequest } from '../../../src/models/model.ts';
import type { ToolDescription } from '../../../src/tools/tool.ts';

export type Heard = {
  readonly text: string;
  readonly fragments: readonly string[];
  readonly last: Extract<ModelChunk, { readonly type: 'reply' | 'failure' }>;
};

/** Hears a model out and holds it to its contract: one reply or failure, at the end. */
export async function listen(
  model: Model,
  request: ModelRequest = ask('Hello?'),
  signal: AbortSignal = new AbortController().signal,
): Promise<Heard> {
  let text = '';
  const fragments: string[] = [];
  const ends: Heard['last'][] = [];
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
export async function failureOf(
  model: Model,
  request?: ModelRequest,
  signal?: AbortSignal,
): Promise<ModelError> {
  const { last } = await listen(model, request, signal);
  if (last.type !== 'failure') throw new Error(`There was a reply: ${last.text.slice(0, 100)}`);
  return last.error;
}

export type Replied = Extract<ModelChunk, { readonly type: 'reply' }>;

export async function replyOf(model: Model, request?: ModelRequest): Promise<Replied> {
  const { last } = await listen(model, request);
  if (last.type !== 'reply') throw new Error(`There was a failure: ${last.error.message}`);
  return last;
}

export const readTool: ToolDescription = {
  name: 'read',
  description: 'Reads a file.',
  parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
};

export function ask(text: string, others: Partial<ModelRequest> = {}): ModelRequest {
  return asking([{ role: 'user', at: 0, text }], others);
}

export function asking(messages: readonly Message[], others: Partial<ModelRequest> = {}): ModelRequest {
  const conversation = appendAll<Message>(emptyConversation, messages);
  return { system: '', conversation, tools: [readTool], advice: null, state: null, mode: null, ...others };
}
