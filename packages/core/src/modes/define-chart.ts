import { renameKeys, upgradeEach, type StoredObject } from '@pawl/governor/upgrade';
import type { ModeChart, ModeState } from './mode-chart.ts';

/** A location in a chart: keys and item indexes. */
export type ChartPath = readonly (string | number)[];

/** An invalid chart. The message is one line: where, what was expected, and what was found. */
export class ChartError extends TypeError {
  override readonly name = 'ChartError';
  readonly path: ChartPath;
  /** The message without the location. */
  readonly problem: string;

  constructor(path: ChartPath, problem: string) {
    super(`${path.length === 0 ? 'The chart' : `The chart, at ${formatChartPath(path)}`}: ${problem}`);
    this.path = path;
    this.problem = problem;
  }
}

/** Formats a path for a message, such as `states[2].next`. */
function formatChartPath(path: ChartPath): string {
  return path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${part}`))
    .join('')
    .replace(/^\./, '');
}

/** Quotes input text for a message: on one line and truncated. */
export function quoteText(text: string): string {
  return JSON.stringify(clipText(text));
}

const quotedTextMax = 80;

export function clipText(text: string, max: number = quotedTextMax): string {
  return text.length <= max ? text : `${text.slice(0, max).toWellFormed()}…`;
}

const modeNameMax = 64;

/** Whether a text can name a chart or a state: one line, because prompts list several names on a line. */
export function isModeName(name: string): boolean {
  return (
    name !== '' &&
    name.length <= modeNameMax &&
    name.isWellFormed() &&
    name === name.trim() &&
    !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(name)
  );
}

/** What `isModeName` requires, for an error message. */
export const modeNameRequirement: string = `a name of up to ${modeNameMax} characters on one line, without leading or trailing spaces`;

type OptionalProperties<Type> = { readonly [Key in keyof Type]?: Type[Key] | undefined };

/**
 * A mode as written by a user. Omitted fields mean none: no tools, no limits, no prompt. `selectable` defaults to true,
 * except for a stuck state and for the paging state.
 *
 * Names are inferred from `name` alone, so that the compiler reports a wrong name anywhere else.
 */
export type ModeStateInput<Name extends string> = { readonly name: Name } & OptionalProperties<
  Omit<ModeState<NoInfer<Name>>, 'name' | 'selectable'> & { readonly selectable: boolean | null }
>;

/**
 * A chart as written by a user. Defaults: transitions by tool, invalid transitions refused, no finish, no paging, no
 * limits.
 */
export type ModeChartInput<Name extends string> = {
  readonly name: string;
  readonly initial: NoInfer<Name>;
  readonly states: readonly ModeStateInput<Name>[];
} & OptionalProperties<Omit<ModeChart<NoInfer<Name>>, 'name' | 'initial' | 'states'>>;

/**
 * Creates a chart from its definition. The compiler checks the types and the names of the states; the consistency of
 * the chart is checked here. Throws one `ChartError` that says what is wrong and where.
 */
export function defineChart<const Name extends string>(input: ModeChartInput<Name>): ModeChart<Name> {
  const chart = fillInDefaults(input);
  checkChart(chart);
  // Every name in the result comes from the input, so it has this type.
  return chart as ModeChart<Name>;
}

function fillInDefaults(input: ModeChartInput<string>): ModeChart {
  const { name, initial, states, transitions, onInvalid, finish, paging, oneAction, maxIterations, prompt } =
    input;
  const reserved = new Set([paging?.state, ...states.map(({ stuckState }) => stuckState)]);
  return {
    name,
    initial,
    states: states.map((state): ModeState => ({
      name: state.name,
      aliases: state.aliases ?? [],
      tools: state.tools ?? [],
      next: state.next ?? [],
      afterText: state.afterText ?? null,
      stuckState: state.stuckState ?? null,
      timeoutMs: state.timeoutMs ?? null,
      stuckAfterSteps: state.stuckAfterSteps ?? null,
      stuckAfterFailures: state.stuckAfterFailures ?? null,
      selectable: state.selectable ?? !reserved.has(state.name),
      terminal: state.terminal ?? false,
      prompt: state.prompt ?? '',
    })),
    transitions: transitions ?? { by: 'tool' },
    onInvalid: onInvalid ?? 'refuse',
    finish: finish ?? null,
    paging: paging ?? null,
    oneAction: oneAction ?? false,
    maxIterations: maxIterations ?? null,
    prompt: prompt ?? '',
  };
}

/** Throws a `ChartError` if the names of a chart are inconsistent or a state cannot be reached or left. */
function checkChart(chart: ModeChart): void {
  checkModeName(chart.name, ['name']);
  checkModeLimit(chart.maxIterations, ['maxIterations']);
  checkStateNames(chart);
  checkStateTargets(chart);
  for (const [index, state] of chart.states.entries()) checkModeState(state, ['states', index]);
  checkFinishState(chart);
  checkPagingState(chart);
  checkTransitionPolicy(chart);
  checkReachableStates(chart);
  checkExitPaths(chart);
}

function checkModeName(name: string, path: ChartPath): void {
  if (isModeName(name)) return;
  throw new ChartError(path, `${quoteText(name)} is not ${modeNameRequirement}.`);
}

function checkModeLimit(limit: number | null, path: ChartPath): void {
  if (limit === null || (Number.isInteger(limit) && limit >= 1)) return;
  throw new ChartError(
    path,
    `a limit is a whole number of at least 1, or null for none, and this is ${limit}.`,
  );
}

/** Names are compared without case, because models are careless with capital letters. */
function checkStateNames({ states }: ModeChart): void {
  const owners = new Map<string, string>();
  for (const [index, { name, aliases }] of states.entries()) {
    checkModeName(name, ['states', index, 'name']);
    for (const [position, alias] of aliases.entries())
      checkModeName(alias, ['states', index, 'aliases', position]);
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
  transitions,
  onInvalid,
  finish,
  paging,
}: ModeChart): readonly ChartTarget[] {
  return [
    [['initial'], initial],
    ...states.flatMap(listStateTargets),
    ...(transitions.by === 'tool'
      ? []
      : (['otherwise', 'afterAction', 'afterFailure'] as const).map((key): ChartTarget => [
          ['transitions', key],
          transitions[key],
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

function listStateTargets({ next, afterText, stuckState }: ModeState, index: number): readonly ChartTarget[] {
  return [
    ...next.map((name, position): ChartTarget => [['states', index, 'next', position], name]),
    ...(afterText === null ? [] : [[['states', index, 'afterText'], afterText] as const]),
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
  const { name, next, terminal, stuckState, afterText, tools } = state;
  const createError = (key: string, problem: string) =>
    new ChartError([...path, key], `state ${quoteText(name)} ${problem}`);
  if (terminal && next.length > 0)
    throw createError('next', 'is terminal, so it cannot have next states. Remove next.');
  if (terminal && tools.length > 0)
    throw createError('tools', 'is terminal, so it cannot have tools. Remove tools.');
  if (!terminal && next.length === 0)
    throw createError('next', 'has no next state. Add one to next, or set terminal to true.');
  for (const key of ['timeoutMs', 'stuckAfterSteps', 'stuckAfterFailures'] as const)
    checkModeLimit(state[key], [...path, key]);
  for (const [key, target] of Object.entries({ stuckState, afterText })) {
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
function checkTransitionPolicy({ states, transitions }: ModeChart): void {
  if (transitions.by === 'tool') return;
  for (const [index, { name, next, selectable, terminal }] of states.entries()) {
    if (!selectable || terminal) continue;
    for (const key of ['otherwise', 'afterAction', 'afterFailure'] as const) {
      if (!next.includes(transitions[key]))
        throw new ChartError(
          ['states', index, 'next'],
          `state ${quoteText(name)} must have ${quoteText(transitions[key])} in its next states, because transitions.${key} leads there from every state.`,
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

const chartNames = new Map([['hops', 'transitions']]);

const modeNames = new Map([['afterWords', 'afterText']]);

/** Returns a chart with current names. An old name next to the current one stays, so that validation reports it. */
export function upgradeChart(chart: StoredObject): StoredObject {
  const renamed = Object.hasOwn(chart, 'transitions') ? chart : renameKeys(chart, chartNames);
  const states = upgradeEach(renamed['states'], (state) =>
    Object.hasOwn(state, 'afterText') ? state : renameKeys(state, modeNames),
  );
  return renamed['states'] === undefined ? renamed : { ...renamed, states };
}
