import { getConversation, toItemArray, type Action, type Session } from '@pawl/core';
import { buildModelRequest, getMetadataText, getMetadataTools, type Store } from '@pawl/runtime';
import type { ModelPrompt } from '../api/index.ts';
import { ApiError } from '../http/api-error.ts';
import { replayStoredEvents, type ReplayedStep } from './replay-events.ts';

/** Rebuilds the exact model request that an event caused. */
export async function readModelPrompt(store: Store, id: string, at: number): Promise<ModelPrompt> {
  const { metadata } = await store.open(id);
  const [prompt, tools] = [getMetadataText(metadata, 'prompt'), getMetadataTools(metadata)];
  let dropped = 0;
  for await (const replayed of replayStoredEvents(store, id)) {
    dropped += countDroppedMessages(replayed);
    if (replayed.seq < at) continue;
    const action = replayed.after.actions.find(isAskModelAction);
    if (action === undefined) break;
    const options = { prompt: prompt ?? '', tools: tools ?? [], at: replayed.event.at };
    const request = buildModelRequest(action, replayed.after.session, options);
    return {
      seq: at,
      request: action.request,
      attempt: action.attempt,
      system: request.system,
      tools: request.tools.map((tool) => ({ ...tool })),
      messages: [...toItemArray(request.conversation)],
      injected: { advice: request.advice, state: request.state },
      dropped,
      missing: [
        ...(prompt === null ? (['prompt'] as const) : []),
        ...(tools === null ? (['tools'] as const) : []),
      ],
    };
  }
  throw new ApiError(
    'not-found',
    `Event ${at} caused no model request.`,
    'Use an event whose actions include ask-model.',
  );
}

function isAskModelAction(action: Action): action is Extract<Action, { readonly type: 'ask-model' }> {
  return action.type === 'ask-model';
}

/** Counts the messages that an event removed from the conversation. */
function countDroppedMessages({ before, after }: ReplayedStep): number {
  return Math.max(0, countMessages(before) - countMessages(after.session));
}

function countMessages(session: Session): number {
  return getConversation(session).length;
}
