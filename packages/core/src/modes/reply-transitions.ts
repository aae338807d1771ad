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

export function transitionOnReply(
  context: ModeContext,
  payload: ModePayloadByType<'reply-read'>,
): ModeTransition {
  const { chart, state } = context;
  const { tools, nextState, text } = payload;
  if (isPagingMode(context))
    return rejectModeEvent(context, `${state.name} is under way, so the reply is dropped`, tools);
  if (chart.oneAction && tools.length > 1)
    return handleInvalidTransition(context, `one action at a time: the reply has ${tools.length}`, tools);
  if (tools.length > 0)
    return chart.hops.by === 'tool'
      ? transitionByTool(context, payload)
      : acceptAction(context, chart.hops, tools);
  if (nextState !== null)
    return transitionToNamedState(context, nextState, { cause: 'next_state', requestedByModel: true });
  if (chart.hops.by === 'reply') return transitionToStates(context, [chart.hops.otherwise], 'no next_state');
  return transitionToStates(context, text && state.afterWords !== null ? [state.afterWords] : [], 'words');
}

/** Handles a reply whose tools decide the transition. */
function transitionByTool(
  context: ModeContext,
  { tools, text }: ModePayloadByType<'reply-read'>,
): ModeTransition {
  const { chart, state } = context;
  const route = findModeRoute(chart, state, { tools, hasText: text });
  if (route === null) return handleInvalidTransition(context, describeRefusedTools(context, tools), tools);
  const { states, refused } = route;
  const transition = transitionToStates(context, states, tools.find((tool) => !refused.includes(tool)) ?? '');
  if (refused.length === 0) return transition;
  const nextContext = {
    ...context,
    mode: transition.mode,
    state: getModeState(chart, transition.mode.state) ?? state,
  };
  return {
    ...recordModeFailure(nextContext, describeRefusedCalls(nextContext, refused), refused),
    changes: transition.changes,
  };
}

/** Explains why some calls may not run with the others. */
function describeRefusedCalls(context: ModeContext, refused: readonly string[]): string {
  const { finish } = context.chart;
  const finishTools = refused.filter((tool) => finish?.tools.includes(tool));
  const otherTools = refused.filter((tool) => !finish?.tools.includes(tool));
  const reasons = [
    ...(otherTools.length === 0 ? [] : [describeRefusedTools(context, otherTools)]),
    ...(finishTools.length === 0
      ? []
      : [`${formatNameList(finishTools, '')} must be the only call of a reply`]),
  ];
  return reasons.join('. ');
}

/** Accepts an action in any mode; its result decides the transition, so only its name is checked here. */
function acceptAction(
  context: ModeContext,
  policy: ReplyTransitionPolicy,
  tools: readonly string[],
): ModeTransition {
  const { chart, mode } = context;
  const refused = tools.filter((tool) => !chart.states.some((state) => allowsTool(state, tool)));
  if (refused.length === 0) return stayInMode(mode.refusal === null ? mode : { ...mode, refusal: null });
  const error = `there is no action ${formatNameList(refused.map(quoteText), '')}`;
  if (refused.length < tools.length) return recordModeFailure(context, error, refused);
  return resetToState(context, { to: policy.afterFailure, cause: 'invalid action', error, refused });
}

export function transitionOnUnreadableReply(context: ModeContext, reason: string): ModeTransition {
  const { hops } = context.chart;
  if (isPagingMode(context))
    return rejectModeEvent(context, `${context.state.name} is under way, so the reply is dropped`);
  const error = `the reply could not be read: ${reason}`;
  return hops.by === 'tool'
    ? recordModeFailure(context, error)
    : resetToState(context, { to: hops.afterFailure, cause: 'unreadable reply', error });
}

export function transitionOnResults(
  context: ModeContext,
  { ok, reason }: ModePayloadByType<'results-in'>,
): ModeTransition {
  const { chart, mode } = context;
  if (isPagingMode(context))
    return rejectModeEvent(context, `${context.state.name} is under way, so the results lead nowhere`);
  if (chart.hops.by === 'tool') return stayInMode({ ...mode, failures: ok ? 0 : mode.failures + 1 });
  if (ok) return transitionToStates(context, [chart.hops.afterAction], 'action');
  const error = `the action failed${reason === null ? '' : `: ${reason}`}`;
  return resetToState(context, { to: chart.hops.afterFailure, cause: 'failed action', error });
}

/** Explains the refusal and what the model can do instead. */
function describeRefusedTools({ chart, state }: ModeContext, tools: readonly string[]): string {
  const refused = tools.map((tool) => clipText(tool));
  const allowed = state.tools === '*' ? 'any tool' : formatNameList(state.tools, 'no tool');
  const next = formatNameList(listSelectableNames(chart, state), 'nothing');
  const hint = state.afterWords === null ? '' : `; to go on to ${state.afterWords}, say first what you think`;
  return `${formatNameList(refused, '')} cannot be used in ${state.name}: it allows ${allowed} and is followed by ${next}${hint}`;
}
