import { ChartError, quoted, type ChartPath } from './chart-error.ts';
import type { ModeChart, ModeState } from './mode-chart.ts';

/** Throws a `ChartError` for a chart whose names do not fit together, or in which one could get lost. */
export function checkChart(chart: ModeChart): void {
  checkNames(chart);
  checkTargets(chart);
  for (const [index, state] of chart.states.entries()) checkState(state, ['states', index]);
  checkFinish(chart);
  checkPaging(chart);
  checkHops(chart);
  checkReachable(chart);
  checkWaysOut(chart);
}

/** Models are free with capital letters, so names that differ in nothing else are the same. */
function checkNames({ states }: ModeChart): void {
  const owners = new Map<string, string>();
  for (const [index, { name, aliases }] of states.entries()) {
    for (const each of [name, ...aliases]) {
      const owner = owners.get(each.toLowerCase());
      if (owner !== undefined)
        throw new ChartError(
          ['states', index],
          `state ${quoted(name)} is called ${quoted(each)}, as state ${quoted(owner)} is already. Names and aliases must differ, in more than capital letters.`,
        );
      owners.set(each.toLowerCase(), name);
    }
  }
}

/** Every name that stands for a state. */
function targetsOf({ initial, states, hops, onInvalid, finish, paging }: ModeChart): readonly Target[] {
  return [
    [['initial'], initial],
    ...states.flatMap(stateTargets),
    ...(hops.by === 'tool'
      ? []
      : (['otherwise', 'afterAction', 'afterFailure'] as const).map((key): Target => [
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

type Target = readonly [path: ChartPath, name: string];

function stateTargets({ next, afterWords, stuckState }: ModeState, index: number): readonly Target[] {
  return [
    ...next.map((name, place): Target => [['states', index, 'next', place], name]),
    ...(afterWords === null ? [] : [[['states', index, 'afterWords'], afterWords] as const]),
    ...(stuckState === null ? [] : [[['states', index, 'stuckState'], stuckState] as const]),
  ];
}

function checkTargets(chart: ModeChart): void {
  const names = chart.states.map(({ name }) => name);
  const known = new Set(names);
  for (const [path, name] of targetsOf(chart)) {
    if (known.has(name)) continue;
    const index = path[0] === 'states' ? Number(path[1]) : -1;
    const owner = chart.states[index];
    const whose = owner === undefined ? '' : `state ${quoted(owner.name)} leads to ${quoted(name)}, but `;
    throw new ChartError(
      path,
      `${whose}there is no state ${quoted(name)}. The states are ${names.join(', ')}.`,
    );
  }
}

function checkState(state: ModeState, path: ChartPath): void {
  const { name, next, terminal, stuckState, afterWords, tools } = state;
  const wrong = (key: string, problem: string) =>
    new ChartError([...path, key], `state ${quoted(name)} ${problem}`);
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
      throw wrong(key, `has ${quoted(target)} as its ${key} but not in its next states. Add it there.`);
  }
}

function checkFinish({ states, finish }: ModeChart): void {
  const end = states.find(({ name }) => name === finish?.state);
  if (end !== undefined && !end.terminal)
    throw new ChartError(
      ['finish', 'state'],
      `state ${quoted(end.name)} is not terminal, so the work cannot finish in it.`,
    );
}

function checkPaging({ states, initial, paging }: ModeChart): void {
  if (paging === null) return;
  const { state: name, next } = paging;
  const state = states.find((each) => each.name === name);
  if (state === undefined) return;
  if (state.selectable)
    throw new ChartError(
      ['paging', 'state'],
      `state ${quoted(name)} follows from what is in memory, so the model cannot choose it. Leave selectable out.`,
    );
  if (initial === name)
    throw new ChartError(['paging', 'state'], `state ${quoted(name)} cannot be the initial one too.`);
  if (!state.next.includes(next))
    throw new ChartError(
      ['paging', 'next'],
      `state ${quoted(name)} does not have ${quoted(next)} in its next states. Add it there.`,
    );
}

/** Whatever the reply, there is somewhere to go. */
function checkHops({ states, hops }: ModeChart): void {
  if (hops.by === 'tool') return;
  for (const [index, { name, next, selectable, terminal }] of states.entries()) {
    if (!selectable || terminal) continue;
    for (const key of ['otherwise', 'afterAction', 'afterFailure'] as const) {
      if (!next.includes(hops[key]))
        throw new ChartError(
          ['states', index, 'next'],
          `state ${quoted(name)} lacks ${quoted(hops[key])}, which hops.${key} leads to from everywhere. Add it.`,
        );
    }
  }
}

function checkReachable({ states, initial, onInvalid }: ModeChart): void {
  const starts = typeof onInvalid === 'string' ? [initial] : [initial, onInvalid.resetTo];
  const follows = new Map(states.map(({ name, next }) => [name, next]));
  const index = firstMissing(states, reachedFrom(starts, follows));
  const state = states[index];
  if (state !== undefined)
    throw new ChartError(
      ['states', index],
      `state ${quoted(state.name)} is never reached from ${quoted(initial)}. Add it to the next states of another, or leave it out.`,
    );
}

/** With an end somewhere, there has to be a way to it from everywhere. */
function checkWaysOut({ states }: ModeChart): void {
  const ends = states.filter(({ terminal }) => terminal).map(({ name }) => name);
  if (ends.length === 0) return;
  const before = new Map(states.map(({ name }): [string, string[]] => [name, []]));
  for (const { name, next } of states) for (const each of next) before.get(each)?.push(name);
  const index = firstMissing(states, reachedFrom(ends, before));
  const state = states[index];
  if (state !== undefined)
    throw new ChartError(
      ['states', index, 'next'],
      `there is no way out of state ${quoted(state.name)}: nothing that follows it leads to ${ends.join(' or ')}.`,
    );
}

function reachedFrom(
  starts: readonly string[],
  follows: ReadonlyMap<string, readonly string[]>,
): ReadonlySet<string> {
  // A set is walked in the order of adding, and what is added on the way is walked too.
  const reached = new Set(starts);
  for (const name of reached) for (const each of follows.get(name) ?? []) reached.add(each);
  return reached;
}

function firstMissing(states: readonly ModeState[], names: ReadonlySet<string>): number {
  return states.findIndex(({ name }) => !names.has(name));
}
