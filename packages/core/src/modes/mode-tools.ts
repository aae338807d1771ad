import type { CurrentMode } from './mode.ts';
import { allowsTool, getModeState, type ModeChart } from './mode-chart.ts';
import { listSelectableNames } from './state-names.ts';
import { findModeRoute } from './mode-route.ts';

/** Filters the tools that the mode itself allows. */
export function listAllowedTools(
  chart: ModeChart,
  mode: CurrentMode,
  tools: readonly string[],
): readonly string[] {
  const state = getModeState(chart, mode.state);
  return state === undefined ? [] : tools.filter((tool) => allowsTool(state, tool));
}

/**
 * Filters the tools the model may call now: allowed in this mode, or in a mode that calling them leads to. Offer these
 * to the model; otherwise no tool could lead out of a mode that allows none.
 */
export function listOfferedTools(
  chart: ModeChart,
  mode: CurrentMode,
  tools: readonly string[],
): readonly string[] {
  const current = getModeState(chart, mode.state);
  if (current === undefined || current.terminal || chart.paging?.state === current.name) return [];
  if (chart.hops.by === 'reply')
    return tools.filter((tool) => chart.states.some((state) => allowsTool(state, tool)));
  return tools.filter((tool) => findModeRoute(chart, current, { tools: [tool], hasText: true }) !== null);
}

/** Returns the modes the model may request now. */
export function listNextStates(chart: ModeChart, mode: CurrentMode): readonly string[] {
  const state = getModeState(chart, mode.state);
  return state === undefined ? [] : listSelectableNames(chart, state);
}

/** Whether the mode is terminal. */
export function isTerminalMode(chart: ModeChart, mode: CurrentMode): boolean {
  return getModeState(chart, mode.state)?.terminal ?? false;
}
