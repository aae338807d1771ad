import { allowsTool, getModeState, type ModeChart, type ModeState } from './mode-chart.ts';

/** The modes to pass through for some calls, and the tools that cannot be used there. */
export type ModeRoute = { readonly states: readonly string[]; readonly refused: readonly string[] };

/**
 * Returns where calling these tools leads, or null if none can be used from here. They run in the first mode that names
 * all of them, otherwise in one that allows any. A finish tool must be the only call.
 *
 * If the reply also has text, the tools may also belong to the mode that text leads to.
 */
export function findModeRoute(
  chart: ModeChart,
  from: ModeState,
  { tools, words }: { readonly tools: readonly string[]; readonly words: boolean },
): ModeRoute | null {
  const ends = tools.filter((tool) => chart.finish?.tools.includes(tool));
  const others = tools.filter((tool) => !chart.finish?.tools.includes(tool));
  const route = others.length === 0 ? null : findRouteWithText(chart, from, { tools: others, words });
  if (route !== null) return { ...route, refused: [...route.refused, ...ends] };
  if (chart.finish === null || ends.length === 0 || !from.next.includes(chart.finish.state)) return null;
  return { states: [chart.finish.state], refused: others };
}

function findRouteWithText(
  chart: ModeChart,
  from: ModeState,
  { tools, words }: { readonly tools: readonly string[]; readonly words: boolean },
): ModeRoute | null {
  const here = findToolRoute(chart, from, tools);
  const after = words && from.afterWords !== null ? getModeState(chart, from.afterWords) : undefined;
  if (after === undefined || here?.refused.length === 0) return here;
  const there = findToolRoute(chart, after, tools);
  if (there === null || (here !== null && here.refused.length <= there.refused.length)) return here;
  return { ...there, states: [after.name, ...there.states] };
}

/** Finds a route for all tools together, otherwise for the first tool that has one. */
function findToolRoute(chart: ModeChart, from: ModeState, tools: readonly string[]): ModeRoute | null {
  const together = findRouteStates(chart, from, tools);
  if (together !== null) return { states: together.map(({ name }) => name), refused: [] };
  for (const tool of tools) {
    const states = findRouteStates(chart, from, [tool]);
    if (states === null) continue;
    const last = states.at(-1) ?? from;
    return {
      states: states.map(({ name }) => name),
      refused: tools.filter((each) => !allowsTool(last, each)),
    };
  }
  return null;
}

/**
 * A mode that names the tools takes precedence over one that allows any. Choosing a tool in a mode that allows none of
 * them is a decision, so the route may pass through a mode that allows any to the one that names them.
 */
function findRouteStates(
  chart: ModeChart,
  from: ModeState,
  tools: readonly string[],
): readonly ModeState[] | null {
  if (namesAllTools(from, tools)) return [];
  const choices = listSelectableStates(chart, from);
  const naming = choices.find((state) => namesAllTools(state, tools));
  if (naming !== undefined) return [naming];
  if (from.tools === '*') return [];
  const any = choices.find((state) => state.tools === '*');
  if (any === undefined) return null;
  const further = listSelectableStates(chart, any).find((state) => namesAllTools(state, tools));
  return further === undefined ? [any] : [any, further];
}

function namesAllTools({ tools }: ModeState, wanted: readonly string[]): boolean {
  return tools !== '*' && wanted.every((tool) => tools.includes(tool));
}

function listSelectableStates(chart: ModeChart, { next }: ModeState): readonly ModeState[] {
  return next.flatMap((name) => {
    const state = getModeState(chart, name);
    return state === undefined || !state.selectable ? [] : [state];
  });
}
