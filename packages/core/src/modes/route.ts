import { allows, stateNamed, type ModeChart, type ModeState } from './mode-chart.ts';

/** The modes to go through for some calls, and those of the tools that cannot be used there. */
export type Route = { readonly states: readonly string[]; readonly refused: readonly string[] };

/**
 * Where picking these tools leads; null if none of them can be used from here. They are used in the first mode that names
 * them all, or else in one that allows any. What says that it is done has to stand alone.
 *
 * With words besides, the tools may also be those of the mode that words lead to.
 */
export function routeOf(
  chart: ModeChart,
  from: ModeState,
  { tools, words }: { readonly tools: readonly string[]; readonly words: boolean },
): Route | null {
  const ends = tools.filter((tool) => chart.finish?.tools.includes(tool));
  const others = tools.filter((tool) => !chart.finish?.tools.includes(tool));
  const route = others.length === 0 ? null : routeWithWords(chart, from, { tools: others, words });
  if (route !== null) return { ...route, refused: [...route.refused, ...ends] };
  if (chart.finish === null || ends.length === 0 || !from.next.includes(chart.finish.state)) return null;
  return { states: [chart.finish.state], refused: others };
}

function routeWithWords(
  chart: ModeChart,
  from: ModeState,
  { tools, words }: { readonly tools: readonly string[]; readonly words: boolean },
): Route | null {
  const here = routeFrom(chart, from, tools);
  const after = words && from.afterWords !== null ? stateNamed(chart, from.afterWords) : undefined;
  if (after === undefined || here?.refused.length === 0) return here;
  const there = routeFrom(chart, after, tools);
  if (there === null || (here !== null && here.refused.length <= there.refused.length)) return here;
  return { ...there, states: [after.name, ...there.states] };
}

/** For all the tools together if there is a mode for that; or else for the first that there is a mode for. */
function routeFrom(chart: ModeChart, from: ModeState, tools: readonly string[]): Route | null {
  const together = statesFor(chart, from, tools);
  if (together !== null) return { states: together.map(({ name }) => name), refused: [] };
  for (const tool of tools) {
    const states = statesFor(chart, from, [tool]);
    if (states === null) continue;
    const last = states.at(-1) ?? from;
    return {
      states: states.map(({ name }) => name),
      refused: tools.filter((each) => !allows(last, each)),
    };
  }
  return null;
}

/**
 * A mode that names the tools is more to the point than one that allows any. Picking a tool in a mode that allows none
 * of them is a decision, so it may lead through one that allows any to the one that names them.
 */
function statesFor(chart: ModeChart, from: ModeState, tools: readonly string[]): readonly ModeState[] | null {
  if (namesAll(from, tools)) return [];
  const choices = choicesFrom(chart, from);
  const naming = choices.find((state) => namesAll(state, tools));
  if (naming !== undefined) return [naming];
  if (from.tools === '*') return [];
  const any = choices.find((state) => state.tools === '*');
  if (any === undefined) return null;
  const further = choicesFrom(chart, any).find((state) => namesAll(state, tools));
  return further === undefined ? [any] : [any, further];
}

function namesAll({ tools }: ModeState, wanted: readonly string[]): boolean {
  return tools !== '*' && wanted.every((tool) => tools.includes(tool));
}

function choicesFrom(chart: ModeChart, { next }: ModeState): readonly ModeState[] {
  return next.flatMap((name) => {
    const state = stateNamed(chart, name);
    return state === undefined || !state.selectable ? [] : [state];
  });
}
