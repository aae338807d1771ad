import { conversationOf, toArray, type Action, type Session } from '@pawl/core';
import { requestFor, textAbout, toolsAbout, type Store } from '@pawl/runtime';
import type { Prompt } from '../api/index.ts';
import { ApiError } from '../http/api-error.ts';
import { walk, type Walked } from './walk.ts';

/** What the model was sent because of an event, to the letter. */
export async function promptAt(store: Store, id: string, at: number): Promise<Prompt> {
  const { about } = await store.open(id);
  const [prompt, tools] = [textAbout(about, 'prompt'), toolsAbout(about)];
  let dropped = 0;
  for await (const walked of walk(store, id)) {
    dropped += droppedBy(walked);
    if (walked.seq < at) continue;
    const asked = walked.after.actions.find(isAsk);
    if (asked === undefined) break;
    const world = { prompt: prompt ?? '', tools: tools ?? [], at: walked.event.at };
    const request = requestFor(asked, walked.after.session, world);
    return {
      seq: at,
      request: asked.request,
      attempt: asked.attempt,
      system: request.system,
      tools: request.tools.map((tool) => ({ ...tool })),
      messages: [...toArray(request.conversation)],
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
    `The model was not asked anything because of event ${at}.`,
    'Take an event whose actions have ask-model among them.',
  );
}

function isAsk(action: Action): action is Extract<Action, { readonly type: 'ask-model' }> {
  return action.type === 'ask-model';
}

/** How many messages an event moved out of the conversation. */
function droppedBy({ before, after }: Walked): number {
  return Math.max(0, lengthOf(before) - lengthOf(after.session));
}

function lengthOf(session: Session): number {
  return conversationOf(session).length;
}
