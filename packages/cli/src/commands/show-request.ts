import type { Action } from '@pawl/core';
import { requestFor, type ModelRequest } from '@pawl/runtime';
import type { Walked } from './show-walk.ts';
import { type Manifest } from './manifest.ts';

/** One time the model was asked. */
export type Asked = {
  readonly request: number;
  readonly attempt: number;
  readonly ask: ModelRequest;
};

/** What the model was sent because of an event; most events lead to nothing of the kind. */
export function asksOf({ event, after }: Walked, { prompt, tools }: Manifest): readonly Asked[] {
  return after.actions.filter(isAsk).map((action) => ({
    request: action.request,
    attempt: action.attempt,
    ask: requestFor(action, after.session, { prompt, tools, at: event.at }),
  }));
}

export function isAsk(action: Action): action is Extract<Action, { readonly type: 'ask-model' }> {
  return action.type === 'ask-model';
}
