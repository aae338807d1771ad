import { clipText, quoteText } from './chart-error.ts';
import { transitionToNamedState } from './transition-to-named-state.ts';
import type { ModePayloadByType } from './mode-event.ts';
import { allowsTool, getModeState, type TransitionPolicy } from './mode-chart.ts';
import { formatNameList, listSelectableNames } from './state-names.ts';
import {
  recordModeFailure,
  resetToState,
  transitionToStates,
  handleInvalidTransition,
  isPagingMode,
  stayInMode,
  rejectModeEvent,
  type ModeTransition,
  type ModeContext,
} from './mode-context.ts';
import { findModeRoute } from './mode-route.ts';

type ReplyTransitionPolicy = Extract<TransitionPolicy, { readonly by: 'reply' }>;

export function transitionOnReply(place: ModeContext, fact: ModePayloadByType<'reply-read'>): ModeTransition {
  const { chart, here } = place;
  const { tools, nextState, text } = fact;
  if (isPagingMode(place))
    return rejectModeEvent(place, `${here.name} is under way, so the reply is dropped`, tools);
  if (chart.oneAction && tools.length > 1)
    return handleInvalidTransition(place, `one action at a time: the reply has ${tools.length}`, tools);
  if (tools.length > 0)
    return chart.hops.by === 'tool' ? transitionByTool(place, fact) : acceptAction(place, chart.hops, tools);
  if (nextState !== null)
    return transitionToNamedState(place, nextState, { cause: 'next_state', isModel: true });
  if (chart.hops.by === 'reply') return transitionToStates(place, [chart.hops.otherwise], 'no next_state');
  return transitionToStates(place, text && here.afterWords !== null ? [here.afterWords] : [], 'words');
}

/** Handles a reply whose tools decide the transition. */
function transitionByTool(
  place: ModeContext,
  { tools, text }: ModePayloadByType<'reply-read'>,
): ModeTransition {
  const { chart, here } = place;
  const route = findModeRoute(chart, here, { tools, words: text });
  if (route === null) return handleInvalidTransition(place, describeRefusedTools(place, tools), tools);
  const { states, refused } = route;
  const after = transitionToStates(place, states, tools.find((tool) => !refused.includes(tool)) ?? '');
  if (refused.length === 0) return after;
  const there = { ...place, mode: after.mode, here: getModeState(chart, after.mode.state) ?? here };
  return {
    ...recordModeFailure(there, describeRefusedCalls(there, refused), refused),
    changes: after.changes,
  };
}

/** Explains why some calls may not run with the others. */
function describeRefusedCalls(place: ModeContext, refused: readonly string[]): string {
  const { finish } = place.chart;
  const ends = refused.filter((tool) => finish?.tools.includes(tool));
  const others = refused.filter((tool) => !finish?.tools.includes(tool));
  const reasons = [
    ...(others.length === 0 ? [] : [describeRefusedTools(place, others)]),
    ...(ends.length === 0 ? [] : [`${formatNameList(ends, '')} must be the only call of a reply`]),
  ];
  return reasons.join('. ');
}

/** Accepts an action in any mode; its result decides the transition, so only its name is checked here. */
function acceptAction(
  place: ModeContext,
  hops: ReplyTransitionPolicy,
  tools: readonly string[],
): ModeTransition {
  const { chart, mode } = place;
  const refused = tools.filter((tool) => !chart.states.some((state) => allowsTool(state, tool)));
  if (refused.length === 0) return stayInMode(mode.refusal === null ? mode : { ...mode, refusal: null });
  const error = `there is no action ${formatNameList(refused.map(quoteText), '')}`;
  if (refused.length < tools.length) return recordModeFailure(place, error, refused);
  return resetToState(place, { to: hops.afterFailure, cause: 'invalid action', error, refused });
}

export function transitionOnUnreadableReply(place: ModeContext, reason: string): ModeTransition {
  const { hops } = place.chart;
  if (isPagingMode(place))
    return rejectModeEvent(place, `${place.here.name} is under way, so the reply is dropped`);
  const error = `the reply could not be read: ${reason}`;
  return hops.by === 'tool'
    ? recordModeFailure(place, error)
    : resetToState(place, { to: hops.afterFailure, cause: 'unreadable reply', error });
}

export function transitionOnResults(
  place: ModeContext,
  { ok, reason }: ModePayloadByType<'results-in'>,
): ModeTransition {
  const { chart, mode } = place;
  if (isPagingMode(place))
    return rejectModeEvent(place, `${place.here.name} is under way, so the results lead nowhere`);
  if (chart.hops.by === 'tool') return stayInMode({ ...mode, failures: ok ? 0 : mode.failures + 1 });
  if (ok) return transitionToStates(place, [chart.hops.afterAction], 'action');
  const error = `the action failed${reason === null ? '' : `: ${reason}`}`;
  return resetToState(place, { to: chart.hops.afterFailure, cause: 'failed action', error });
}

/** Explains the refusal and what the model can do instead. */
function describeRefusedTools({ chart, here }: ModeContext, tools: readonly string[]): string {
  const refused = tools.map((tool) => clipText(tool));
  const allowed = here.tools === '*' ? 'any tool' : formatNameList(here.tools, 'no tool');
  const next = formatNameList(listSelectableNames(chart, here), 'nothing');
  const hint = here.afterWords === null ? '' : `; to go on to ${here.afterWords}, say first what you think`;
  return `${formatNameList(refused, '')} cannot be used in ${here.name}: it allows ${allowed} and is followed by ${next}${hint}`;
}
