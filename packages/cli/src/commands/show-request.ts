import type { Action, Json } from '@pawl/core';
import { requestFor, textAbout, toolsAbout, type ModelRequest, type ToolDescription } from '@pawl/runtime';
import type { Walked } from './show-walk.ts';

/** What a run told its model besides what is in the session. `missing` names what is not on record. */
export type KnownWorld = {
  readonly prompt: string;
  readonly tools: readonly ToolDescription[];
  readonly missing: readonly ('prompt' | 'tools')[];
};

/** The prompt and the tools of a run stand in what is kept about its session, if whoever ran it wrote them there. */
export function worldKnown(about: Json): KnownWorld {
  const prompt = textAbout(about, 'prompt');
  const tools = toolsAbout(about);
  return {
    prompt: prompt ?? '',
    tools: tools ?? [],
    missing: [
      ...(prompt === null ? (['prompt'] as const) : []),
      ...(tools === null ? (['tools'] as const) : []),
    ],
  };
}

/** One time the model was asked. */
export type Asked = {
  readonly request: number;
  readonly attempt: number;
  readonly ask: ModelRequest;
};

/** What the model was sent because of an event; most events lead to nothing of the kind. */
export function asksOf({ event, after }: Walked, { prompt, tools }: KnownWorld): readonly Asked[] {
  return after.actions.filter(isAsk).map((action) => ({
    request: action.request,
    attempt: action.attempt,
    ask: requestFor(action, after.session, { prompt, tools, at: event.at }),
  }));
}

export function isAsk(action: Action): action is Extract<Action, { readonly type: 'ask-model' }> {
  return action.type === 'ask-model';
}
