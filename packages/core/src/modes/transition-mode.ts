import { describeRefusedTransition } from '@pawl/governor';
import { quoteText } from './chart-error.ts';
import { transitionToNamedState } from './transition-to-named-state.ts';
import type { ModeEvent } from './mode-event.ts';
import { getSafeState, type CurrentMode } from './mode.ts';
import { getModeState, type ModeChart } from './mode-chart.ts';
import {
  resetToState,
  transitionToStates,
  isPagingMode,
  stayInMode,
  rejectModeEvent,
  type ModeTransition,
  type ModeContext,
} from './mode-context.ts';
import { transitionOnUnreadableReply, transitionOnReply, transitionOnResults } from './reply-transitions.ts';

/** Applies one mode event. Pure: the same events always give the same mode, and it never throws. */
export function transitionMode(chart: ModeChart, mode: CurrentMode, event: ModeEvent): ModeTransition {
  const at = Number.isFinite(event.at) ? event.at : mode.enteredAt;
  const state = getModeState(chart, mode.state);
  return state === undefined
    ? recoverUnknownState(chart, mode, { ...event, at })
    : dispatchModeEvent({ chart, mode, state, at }, event);
}

function dispatchModeEvent(context: ModeContext, event: ModeEvent): ModeTransition {
  if (context.state.terminal && event.type !== 'ticked') return rejectAfterEnd(context, event);
  switch (event.type) {
    case 'reply-read':
      return transitionOnReply(context, event);
    case 'reply-failed':
      return transitionOnUnreadableReply(context, event.reason);
    case 'results-in':
      return transitionOnResults(context, event);
    case 'paging-needed':
      return enterPagingState(context);
    case 'paging-done':
      return leavePagingState(context);
    case 'ticked':
      return countIteration(context);
    case 'stuck-found':
      return enterStuckState(context, event.cause);
    case 'finish-asked':
      return enterFinishState(context, event.cause);
    case 'move-asked':
      return transitionToNamedState(context, event.to, { cause: event.cause, requestedByModel: false });
    default:
      return event satisfies never;
  }
}

/**
 * Resets a mode whose state is not in this chart. The event itself is not applied, because its meaning in an unknown
 * state is undefined.
 */
function recoverUnknownState(chart: ModeChart, before: CurrentMode, event: ModeEvent): ModeTransition {
  const to = getSafeState(chart);
  const error = `${quoteText(before.state)} is not a state of ${chart.name}; reset to ${to}`;
  const mode = { ...before, chart: chart.name };
  const refused = getRequestedTools(event);
  return resetToState({ mode, at: event.at }, { to, cause: 'unknown state', error, refused });
}

function rejectAfterEnd(context: ModeContext, event: ModeEvent): ModeTransition {
  return rejectModeEvent(
    context,
    `${context.state.name} is the end, and nothing follows it`,
    getRequestedTools(event),
  );
}

function getRequestedTools(event: ModeEvent): readonly string[] {
  return event.type === 'reply-read' ? event.tools : [];
}

function countIteration(context: ModeContext): ModeTransition {
  const { chart, mode } = context;
  if (chart.maxIterations !== null && mode.iterations >= chart.maxIterations)
    return rejectModeEvent(context, `all ${chart.maxIterations} iterations are used up`);
  return stayInMode({ ...mode, steps: mode.steps + 1, iterations: mode.iterations + 1 });
}

function enterPagingState(context: ModeContext): ModeTransition {
  const { chart, state, mode } = context;
  if (isPagingMode(context)) return stayInMode(mode);
  if (chart.paging === null) return rejectModeEvent(context, `${chart.name} has no state for paging`);
  if (!state.next.includes(chart.paging.state))
    return rejectModeEvent(context, describeRefusedTransition(state.name, chart.paging.state, state.next));
  return transitionToStates(context, [chart.paging.state], 'paging needed');
}

function leavePagingState(context: ModeContext): ModeTransition {
  const { paging } = context.chart;
  if (paging === null || !isPagingMode(context))
    return rejectModeEvent(context, `no paging is under way in ${context.state.name}`);
  return transitionToStates(context, [paging.next], 'paging done');
}

function enterStuckState(context: ModeContext, cause: string): ModeTransition {
  const { state } = context;
  if (state.stuckState === null)
    return rejectModeEvent(context, `${state.name} has no state to fall to when stuck`);
  return transitionToStates(context, [state.stuckState], cause);
}

function enterFinishState(context: ModeContext, cause: string): ModeTransition {
  const { chart, state } = context;
  if (chart.finish === null) return rejectModeEvent(context, `${chart.name} has no state to finish in`);
  if (!state.next.includes(chart.finish.state))
    return rejectModeEvent(context, describeRefusedTransition(state.name, chart.finish.state, state.next));
  return transitionToStates(context, [chart.finish.state], cause);
}
