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
          `state ${quoteText(name)} is called ${quoteText(each)}, as state ${quoteText(owner)} is already. Names and aliases must differ, in more than capital letters.`,
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
    ...next.map((name, place): ChartTarget => [['states', index, 'next', place], name]),
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
    const whose =
      owner === undefined ? '' : `state ${quoteText(owner.name)} leads to ${quoteText(name)}, but `;
    throw new ChartError(
      path,
      `${whose}there is no state ${quoteText(name)}. The states are ${names.join(', ')}.`,
    );
  }
}

function checkModeState(state: ModeState, path: ChartPath): void {
  const { name, next, terminal, stuckState, afterWords, tools } = state;
  const wrong = (key: string, problem: string) =>
    new ChartError([...path, key], `state ${quoteText(name)} ${problem}`);
  if (terminal && next.length > 0)
    throw wrong('next', 'is terminal, so nothing can follow it. Leave next out.');
  if (terminal && tools.length > 0)
    throw wrong('tools', 'is terminal, so no tool can be used in it. Leave tools out.');
  if (!terminal && next.length === 0)
    throw wrong('next', 'has no next state. Say what follows it, or make it terminal.');
  for (const [key, target] of Object.entries({ stuckState, afterWords })) {
    if (target === null) continue;
    if (target === name) throw wrong(key, `has itself as its ${key}. Leave it out to stay.`);
    if (!next.includes(target))
      throw wrong(key, `has ${quoteText(target)} as its ${key} but not in its next states. Add it there.`);
  }
}

function checkFinishState({ states, finish }: ModeChart): void {
  const end = states.find(({ name }) => name === finish?.state);
  if (end !== undefined && !end.terminal)
    throw new ChartError(
      ['finish', 'state'],
      `state ${quoteText(end.name)} is not terminal, so the work cannot finish in it.`,
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
      `state ${quoteText(name)} follows from what is in memory, so the model cannot choose it. Leave selectable out.`,
    );
  if (initial === name)
    throw new ChartError(['paging', 'state'], `state ${quoteText(name)} cannot be the initial one too.`);
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
          `state ${quoteText(name)} lacks ${quoteText(hops[key])}, which hops.${key} leads to from everywhere. Add it.`,
        );
    }
  }
}

function checkReachableStates({ states, initial, onInvalid }: ModeChart): void {
  const starts = typeof onInvalid === 'string' ? [initial] : [initial, onInvalid.resetTo];
  const follows = new Map(states.map(({ name, next }) => [name, next]));
  const index = findFirstMissing(states, findReachableStates(starts, follows));
  const state = states[index];
  if (state !== undefined)
    throw new ChartError(
      ['states', index],
      `state ${quoteText(state.name)} is never reached from ${quoteText(initial)}. Add it to the next states of another, or leave it out.`,
    );
}

/** If there is a terminal state, every state must have a path to it. */
function checkExitPaths({ states }: ModeChart): void {
  const ends = states.filter(({ terminal }) => terminal).map(({ name }) => name);
  if (ends.length === 0) return;
  const before = new Map(states.map(({ name }): [string, string[]] => [name, []]));
  for (const { name, next } of states) for (const each of next) before.get(each)?.push(name);
  const index = findFirstMissing(states, findReachableStates(ends, before));
  const state = states[index];
  if (state !== undefined)
    throw new ChartError(
      ['states', index, 'next'],
      `there is no way out of state ${quoteText(state.name)}: nothing that follows it leads to ${ends.join(' or ')}.`,
    );
}

function findReachableStates(
  starts: readonly string[],
  follows: ReadonlyMap<string, readonly string[]>,
): ReadonlySet<string> {
  // Iteration over a Set also visits items added during the iteration.
  const reached = new Set(starts);
  for (const name of reached) for (const each of follows.get(name) ?? []) reached.add(each);
  return reached;
}

function findFirstMissing(states: readonly ModeState[], names: ReadonlySet<string>): number {
  return states.findIndex(({ name }) => !names.has(name));
}
