import type { Mode } from './mode.ts';
import { allows, stateNamed, type ModeChart } from './mode-chart.ts';
import { selectableNext } from './names.ts';
import { routeOf } from './route.ts';

/** Of these tools, those that the mode itself allows. */
export function allowedTools(chart: ModeChart, mode: Mode, tools: readonly string[]): readonly string[] {
  const here = stateNamed(chart, mode.state);
  return here === undefined ? [] : tools.filter((tool) => allows(here, tool));
}

/**
 * Of these tools, those that the model may pick now: allowed here, or in a mode that picking them leads to. This is what
 * to offer it; a mode that allows no tool would otherwise be one that no tool can lead out of.
 */
export function offeredTools(chart: ModeChart, mode: Mode, tools: readonly string[]): readonly string[] {
  const here = stateNamed(chart, mode.state);
  if (here === undefined || here.terminal || chart.paging?.state === here.name) return [];
  if (chart.hops.by === 'reply')
    return tools.filter((tool) => chart.states.some((state) => allows(state, tool)));
  return tools.filter((tool) => routeOf(chart, here, { tools: [tool], words: true }) !== null);
}

/** The modes that the model may ask for now. */
export function nextStates(chart: ModeChart, mode: Mode): readonly string[] {
  const here = stateNamed(chart, mode.state);
  return here === undefined ? [] : selectableNext(chart, here);
}

/** Whether the work is over. */
export function isTerminalMode(chart: ModeChart, mode: Mode): boolean {
  return stateNamed(chart, mode.state)?.terminal ?? false;
}
