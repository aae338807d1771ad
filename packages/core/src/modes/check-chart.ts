import { ChartError, quoteText, type ChartPath } from './chart-error.ts';
import type { ModeChart, ModeState } from './mode-chart.ts';

/** Throws a `ChartError` if the names of a chart are inconsistent or a state cannot be reached or left. */
export function checkChart(chart: ModeChart): void {
  checkStateNames(chart);
  checkStateTargets(chart);
  for (const [index, state] of chart.states.entries()) checkModeState(state, ['states', index]);
  checkFinishState(chart);
  checkPagingState(chart);
  checkTransitionPolicy(chart);
  checkReachableStates(chart);
  checkExitPaths(chart);
}

/** Names are compared without case, because models are careless with capital letters. */
function checkStateNames({ states }: ModeChart): void {
  const owners = new Map<string, string>();
  for (const [index, { name, aliases }] of states.entries()) {
    for (const each of [name, ...aliases]) {
      const owner = owners.get(each.toLowerCase());
      if (owner !== undefined)
        throw new ChartError(
          ['states', index],
          `state ${quoteText(name)} uses the name ${quoteText(each)}, which state ${quoteText(owner)} already has. Names and aliases must be unique, ignoring case.`,
        );
      owners.set(each.toLowerCase(), name);
    }
  }
}

/** Lists every reference to a state. */
function listChartTargets({
  initial,
  states,
  hops,
  onInvalid,
  finish,
  paging,
}: ModeChart): readonly ChartTarget[] {
  return [
    [['initial'], initial],
    ...states.flatMap(listStateTargets),
    ...(hops.by === 'tool'
      ? []
      : (['otherwise', 'afterAction', 'afterFailure'] as const).map((key): ChartTarget => [
          ['hops', key],
          hops[key],
        ])),
    ...(typeof onInvalid === 'string' ? [] : [[['onInvalid', 'resetTo'], onInvalid.resetTo] as const]),
    ...(finish === null ? [] : [[['finish', 'state'], finish.state] as const]),
    ...(paging === null
      ? []
      : ([
          [['paging', 'state'], paging.state],
          [['paging', 'next'], paging.next],
        ] as const)),
  ];
}

type ChartTarget = readonly [path: ChartPath, name: string];

function listStateTargets(
  { next, afterWords, stuckState }: ModeState,
  index: number,
): readonly ChartTarget[] {
  return [
    ...next.map((name, position): ChartTarget => [['states', index, 'next', position], name]),
    ...(afterWords === null ? [] : [[['states', index, 'afterWords'], afterWords] as const]),
    ...(stuckState === null ? [] : [[['states', index, 'stuckState'], stuckState] as const]),
  ];
}

function checkStateTargets(chart: ModeChart): void {
  const names = chart.states.map(({ name }) => name);
  const known = new Set(names);
  for (const [path, name] of listChartTargets(chart)) {
    if (known.has(name)) continue;
    const index = path[0] === 'states' ? Number(path[1]) : -1;
    const owner = chart.states[index];
    const prefix =
      owner === undefined ? '' : `state ${quoteText(owner.name)} leads to ${quoteText(name)}, but `;
    throw new ChartError(
      path,
      `${prefix}there is no state ${quoteText(name)}. The states are ${names.join(', ')}.`,
    );
  }
}

function checkModeState(state: ModeState, path: ChartPath): void {
  const { name, next, terminal, stuckState, afterWords, tools } = state;
  const createError = (key: string, problem: string) =>
    new ChartError([...path, key], `state ${quoteText(name)} ${problem}`);
  if (terminal && next.length > 0)
    throw createError('next', 'is terminal, so it cannot have next states. Remove next.');
  if (terminal && tools.length > 0)
    throw createError('tools', 'is terminal, so it cannot have tools. Remove tools.');
  if (!terminal && next.length === 0)
    throw createError('next', 'has no next state. Add one to next, or set terminal to true.');
  for (const [key, target] of Object.entries({ stuckState, afterWords })) {
    if (target === null) continue;
    if (target === name)
      throw createError(key, `has itself as its ${key}. Remove ${key} to stay in the state.`);
    if (!next.includes(target))
      throw createError(
        key,
        `has ${quoteText(target)} as its ${key} but not in its next states. Add it there.`,
      );
  }
}

function checkFinishState({ states, finish }: ModeChart): void {
  const end = states.find(({ name }) => name === finish?.state);
  if (end !== undefined && !end.terminal)
    throw new ChartError(
      ['finish', 'state'],
      `state ${quoteText(end.name)} is not terminal, so it cannot be the finish state. Set terminal to true.`,
    );
}

function checkPagingState({ states, initial, paging }: ModeChart): void {
  if (paging === null) return;
  const { state: name, next } = paging;
  const state = states.find((each) => each.name === name);
  if (state === undefined) return;
  if (state.selectable)
    throw new ChartError(
      ['paging', 'state'],
      `state ${quoteText(name)} is the paging state, so the model cannot choose it. Remove selectable.`,
    );
  if (initial === name)
    throw new ChartError(
      ['paging', 'state'],
      `state ${quoteText(name)} is the paging state, so it cannot also be the initial state.`,
    );
  if (!state.next.includes(next))
    throw new ChartError(
      ['paging', 'next'],
      `state ${quoteText(name)} does not have ${quoteText(next)} in its next states. Add it there.`,
    );
}

/** Checks that every reply of the model has a valid target state. */
function checkTransitionPolicy({ states, hops }: ModeChart): void {
  if (hops.by === 'tool') return;
  for (const [index, { name, next, selectable, terminal }] of states.entries()) {
    if (!selectable || terminal) continue;
    for (const key of ['otherwise', 'afterAction', 'afterFailure'] as const) {
      if (!next.includes(hops[key]))
        throw new ChartError(
          ['states', index, 'next'],
          `state ${quoteText(name)} must have ${quoteText(hops[key])} in its next states, because hops.${key} leads there from every state.`,
        );
    }
  }
}

function checkReachableStates({ states, initial, onInvalid }: ModeChart): void {
  const starts = typeof onInvalid === 'string' ? [initial] : [initial, onInvalid.resetTo];
  const successors = new Map(states.map(({ name, next }) => [name, next]));
  const index = findFirstMissing(states, findReachableStates(starts, successors));
  const state = states[index];
  if (state !== undefined)
    throw new ChartError(
      ['states', index],
      `state ${quoteText(state.name)} is unreachable from ${quoteText(initial)}. Add it to the next states of another state, or remove it.`,
    );
}

/** If there is a terminal state, every state must have a path to it. */
function checkExitPaths({ states }: ModeChart): void {
  const ends = states.filter(({ terminal }) => terminal).map(({ name }) => name);
  if (ends.length === 0) return;
  const predecessors = new Map(states.map(({ name }): [string, string[]] => [name, []]));
  for (const { name, next } of states) for (const each of next) predecessors.get(each)?.push(name);
  const index = findFirstMissing(states, findReachableStates(ends, predecessors));
  const state = states[index];
  if (state !== undefined)
    throw new ChartError(
      ['states', index, 'next'],
      `state ${quoteText(state.name)} has no path to a terminal state (${ends.join(', ')}). Add one to its next states.`,
    );
}

function findReachableStates(
  starts: readonly string[],
  successors: ReadonlyMap<string, readonly string[]>,
): ReadonlySet<string> {
  // Iteration over a Set also visits items added during the iteration.
  const reached = new Set(starts);
  for (const name of reached) for (const each of successors.get(name) ?? []) reached.add(each);
  return reached;
}

function findFirstMissing(states: readonly ModeState[], names: ReadonlySet<string>): number {
  return states.findIndex(({ name }) => !names.has(name));
}
