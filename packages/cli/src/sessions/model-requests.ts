import type { Action } from '@pawl/core';
import type { ReplayedStep } from '@pawl/core/projections';
import type { ModelRequest } from '@pawl/runtime';
import { buildModelRequest } from '@pawl/runtime/models';
import { type RunManifest } from './run-manifest.ts';

/** One request to the model. */
export type SentModelRequest = {
  readonly request: number;
  readonly attempt: number;
  readonly ask: ModelRequest;
};

/** Lists the model requests that an event caused; most events cause none. */
export function listModelRequests(
  { event, after }: ReplayedStep,
  { prompt, tools }: RunManifest,
): readonly SentModelRequest[] {
  return after.actions.filter(isAskModelAction).map((action) => ({
    request: action.request,
    attempt: action.attempt,
    ask: buildModelRequest(action, after.session, { prompt, tools, at: event.at }),
  }));
}

export function isAskModelAction(action: Action): action is Extract<Action, { readonly type: 'ask-model' }> {
  return action.type === 'ask-model';
}
