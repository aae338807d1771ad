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
  const here = getModeState(chart, mode.state);
  return here === undefined ? [] : tools.filter((tool) => allowsTool(here, tool));
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
  const here = getModeState(chart, mode.state);
  if (here === undefined || here.terminal || chart.paging?.state === here.name) return [];
  if (chart.hops.by === 'reply')
    return tools.filter((tool) => chart.states.some((state) => allowsTool(state, tool)));
  return tools.filter((tool) => findModeRoute(chart, here, { tools: [tool], words: true }) !== null);
}

/** Returns the modes the model may request now. */
export function listNextStates(chart: ModeChart, mode: CurrentMode): readonly string[] {
  const here = getModeState(chart, mode.state);
  return here === undefined ? [] : listSelectableNames(chart, here);
}

/** Whether the mode is terminal. */
export function isTerminalMode(chart: ModeChart, mode: CurrentMode): boolean {
  return getModeState(chart, mode.state)?.terminal ?? false;
}
