import type { ModelError, RequestedCall } from '@pawl/core';
import type { Model, ModelChunk, ModelRequest } from './model.ts';

/** One answer of a scripted model: a reply, or a failure. */
export type ScriptedReply =
  | { readonly text?: string; readonly calls?: readonly RequestedCall[] }
  | { readonly failure: ModelError };

/** Replays a list of replies, one for each request. Asked once more than it has replies, it fails and says so. */
export function createScripted(replies: readonly ScriptedReply[]): Model & {
  /** Every request so far, in order. */
  readonly requests: readonly ModelRequest[];
} {
  const requests: ModelRequest[] = [];
  return {
    name: 'scripted',
    requests,
    async *stream(request) {
      const reply = replies[requests.length];
      requests.push(request);
      yield* play(reply, replies.length);
    },
  };
}

function* play(reply: ScriptedReply | undefined, count: number): Generator<ModelChunk> {
  if (reply === undefined) {
    const message = `The script has ${count} replies and was asked for one more.`;
    yield { type: 'failure', error: { kind: 'bad-request', message, retryable: false } };
  } else if ('failure' in reply) {
    yield { type: 'failure', error: reply.failure };
  } else {
    const { text = '', calls = [] } = reply;
    if (text !== '') yield { type: 'text', text };
    yield { type: 'reply', text, calls };
  }
}
