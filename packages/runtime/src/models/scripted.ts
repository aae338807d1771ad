import type { ModelError, RequestedCall } from '@pawl/core';
import type { Model, ModelChunk, ModelRequest } from './model.ts';

/** One scripted reply or failure. */
export type ScriptedReply =
  | { readonly text?: string; readonly calls?: readonly RequestedCall[] }
  | { readonly failure: ModelError };

/** Creates a model that replays a list of replies, one per request. A request beyond the last reply fails. */
export function createScriptedModel(replies: readonly ScriptedReply[]): Model & {
  /** All requests so far, in order. */
  readonly requests: readonly ModelRequest[];
} {
  const requests: ModelRequest[] = [];
  return {
    name: 'scripted',
    requests,
    async *stream(request) {
      const reply = replies[requests.length];
      requests.push(request);
      yield* streamScriptedReply(reply, replies.length);
    },
  };
}

function* streamScriptedReply(reply: ScriptedReply | undefined, count: number): Generator<ModelChunk> {
  if (reply === undefined) {
    const message = `The script has only ${count} replies, but another one was requested.`;
    yield { type: 'failure', error: { kind: 'bad-request', message, retryable: false } };
  } else if ('failure' in reply) {
    yield { type: 'failure', error: reply.failure };
  } else {
    const { text = '', calls = [] } = reply;
    if (text !== '') yield { type: 'text', text };
    yield { type: 'reply', text, calls };
  }
}
