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
  { tools, hasText }: { readonly tools: readonly string[]; readonly hasText: boolean },
): ModeRoute | null {
  const finishTools = tools.filter((tool) => chart.finish?.tools.includes(tool));
  const otherTools = tools.filter((tool) => !chart.finish?.tools.includes(tool));
  const route =
    otherTools.length === 0 ? null : findRouteWithText(chart, from, { tools: otherTools, hasText });
  if (route !== null) return { ...route, refused: [...route.refused, ...finishTools] };
  if (chart.finish === null || finishTools.length === 0 || !from.next.includes(chart.finish.state))
    return null;
  return { states: [chart.finish.state], refused: otherTools };
}

function findRouteWithText(
  chart: ModeChart,
  from: ModeState,
  { tools, hasText }: { readonly tools: readonly string[]; readonly hasText: boolean },
): ModeRoute | null {
  const direct = findToolRoute(chart, from, tools);
  const textState = hasText && from.afterWords !== null ? getModeState(chart, from.afterWords) : undefined;
  if (textState === undefined || direct?.refused.length === 0) return direct;
  const indirect = findToolRoute(chart, textState, tools);
  if (indirect === null || (direct !== null && direct.refused.length <= indirect.refused.length))
    return direct;
  return { ...indirect, states: [textState.name, ...indirect.states] };
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
  const namingState = choices.find((state) => namesAllTools(state, tools));
  if (namingState !== undefined) return [namingState];
  if (from.tools === '*') return [];
  const openState = choices.find((state) => state.tools === '*');
  if (openState === undefined) return null;
  const nextNamingState = listSelectableStates(chart, openState).find((state) => namesAllTools(state, tools));
  return nextNamingState === undefined ? [openState] : [openState, nextNamingState];
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
