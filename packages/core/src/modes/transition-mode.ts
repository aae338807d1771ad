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
export function transitionMode(chart: ModeChart, mode: CurrentMode, happening: ModeEvent): ModeTransition {
  const at = Number.isFinite(happening.at) ? happening.at : mode.enteredAt;
  const here = getModeState(chart, mode.state);
  return here === undefined
    ? recoverUnknownState(chart, mode, { ...happening, at })
    : dispatchModeEvent({ chart, mode, here, at }, happening);
}

function dispatchModeEvent(place: ModeContext, happening: ModeEvent): ModeTransition {
  if (place.here.terminal && happening.type !== 'ticked') return rejectAfterEnd(place, happening);
  switch (happening.type) {
    case 'reply-read':
      return transitionOnReply(place, happening);
    case 'reply-failed':
      return transitionOnUnreadableReply(place, happening.reason);
    case 'results-in':
      return transitionOnResults(place, happening);
    case 'paging-needed':
      return enterPagingState(place);
    case 'paging-done':
      return leavePagingState(place);
    case 'ticked':
      return countIteration(place);
    case 'stuck-found':
      return enterStuckState(place, happening.cause);
    case 'finish-asked':
      return enterFinishState(place, happening.cause);
    case 'move-asked':
      return transitionToNamedState(place, happening.to, { cause: happening.cause, isModel: false });
    default:
      return happening satisfies never;
  }
}

/**
 * Resets a mode whose state is not in this chart. The event itself is not applied, because its meaning in an unknown
 * state is undefined.
 */
function recoverUnknownState(chart: ModeChart, before: CurrentMode, happening: ModeEvent): ModeTransition {
  const to = getSafeState(chart);
  const error = `${quoteText(before.state)} is not a state of ${chart.name}; reset to ${to}`;
  const mode = { ...before, chart: chart.name };
  const refused = getRequestedTools(happening);
  return resetToState({ mode, at: happening.at }, { to, cause: 'unknown state', error, refused });
}

function rejectAfterEnd(place: ModeContext, happening: ModeEvent): ModeTransition {
  return rejectModeEvent(
    place,
    `${place.here.name} is the end, and nothing follows it`,
    getRequestedTools(happening),
  );
}

function getRequestedTools(happening: ModeEvent): readonly string[] {
  return happening.type === 'reply-read' ? happening.tools : [];
}

function countIteration(place: ModeContext): ModeTransition {
  const { chart, mode } = place;
  if (chart.maxIterations !== null && mode.iterations >= chart.maxIterations)
    return rejectModeEvent(place, `all ${chart.maxIterations} iterations are used up`);
  return stayInMode({ ...mode, steps: mode.steps + 1, iterations: mode.iterations + 1 });
}

function enterPagingState(place: ModeContext): ModeTransition {
  const { chart, here, mode } = place;
  if (isPagingMode(place)) return stayInMode(mode);
  if (chart.paging === null) return rejectModeEvent(place, `${chart.name} has no state for paging`);
  if (!here.next.includes(chart.paging.state))
    return rejectModeEvent(place, describeRefusedTransition(here.name, chart.paging.state, here.next));
  return transitionToStates(place, [chart.paging.state], 'paging needed');
}

function leavePagingState(place: ModeContext): ModeTransition {
  const { paging } = place.chart;
  if (paging === null || !isPagingMode(place))
    return rejectModeEvent(place, `no paging is under way in ${place.here.name}`);
  return transitionToStates(place, [paging.next], 'paging done');
}

function enterStuckState(place: ModeContext, cause: string): ModeTransition {
  const { here } = place;
  if (here.stuckState === null)
    return rejectModeEvent(place, `${here.name} has no state to fall to when stuck`);
  return transitionToStates(place, [here.stuckState], cause);
}

function enterFinishState(place: ModeContext, cause: string): ModeTransition {
  const { chart, here } = place;
  if (chart.finish === null) return rejectModeEvent(place, `${chart.name} has no state to finish in`);
  if (!here.next.includes(chart.finish.state))
    return rejectModeEvent(place, describeRefusedTransition(here.name, chart.finish.state, here.next));
  return transitionToStates(place, [chart.finish.state], cause);
}
