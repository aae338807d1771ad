import * as config from '@pawl/governor/json';
import { isPlainObject, dayMilliseconds, createBooleanField, type ConfigField } from '@pawl/governor/json';
import type { ModeChart, ModeState, TransitionPolicy } from './mode-chart.ts';
import { renameKeys, upgradeEach, type StoredObject } from '@pawl/governor/upgrade';

/** A location in a chart: keys and item indexes. */
export type ChartPath = readonly (string | number)[];

/** An invalid chart. The message is one line: where, what was expected, and what was found. */
export class ChartError extends TypeError {
  override readonly name = 'ChartError';
  readonly path: ChartPath;

  constructor(path: ChartPath, problem: string) {
    super(`${path.length === 0 ? 'The chart' : `The chart, at ${formatChartPath(path)}`}: ${problem}`);
    this.path = path;
  }
}

/** Formats a path for a message, such as `states[2].next`. */
export function formatChartPath(path: ChartPath): string {
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

/** A field without a default. */
type RequiredField<Value> = Omit<ConfigField<Value>, 'fallback'>;

export type ShapeFields<Shape> = {
  readonly [Key in keyof Shape]: ConfigField<Shape[Key]> | RequiredField<Shape[Key]>;
};

/** Parses an object with exactly these fields, each validated. Only own properties are read. */
function parseFields<Shape extends object>(
  fields: ShapeFields<Shape>,
  value: unknown,
  path: ChartPath,
): Shape {
  if (!isPlainObject(value))
    throw new ChartError(path, `expects an object, and got ${describeInputValue(value)}.`);
  const known = Object.keys(fields);
  const unknown = Object.keys(value).find((key) => !known.includes(key));
  if (unknown !== undefined)
    throw new ChartError(path, `there is no key ${quoteText(unknown)}. The keys are ${known.join(', ')}.`);
  const entries = known.map((key) => [
    key,
    parseField(fields[key as keyof Shape], Object.hasOwn(value, key) ? value[key] : undefined, [
      ...path,
      key,
    ]),
  ]);
  // Every key is one of the fields, with a value that its field accepts.
  return Object.fromEntries(entries) as Shape;
}

function parseField<Value>(
  field: ConfigField<Value> | RequiredField<Value>,
  value: unknown,
  path: ChartPath,
): Value {
  if (value === undefined && 'fallback' in field) return field.fallback;
  if (field.accepts(value)) return value;
  const actual = value === undefined ? 'it is missing' : `got ${describeInputValue(value)}`;
  throw new ChartError(path, `expects ${field.expects}, and ${actual}.`);
}

function toRequiredField<Value>({ expects, accepts }: ConfigField<Value>): RequiredField<Value> {
  return { expects, accepts };
}

function toNullableField<Value>({
  expects,
  accepts,
}: ConfigField<Value> | RequiredField<Value>): ConfigField<Value | null> {
  return {
    fallback: null,
    expects: `${expects}, or null`,
    accepts: (value): value is Value | null => value === null || accepts(value),
  };
}

const chartNameMax = 64;

/** A name must fit on one line, because prompts list several names on a line. */
export const nameField: ConfigField<string> = {
  fallback: '',
  expects: `a name of up to ${chartNameMax} characters on one line, without leading or trailing spaces`,
  accepts: (value): value is string =>
    typeof value === 'string' &&
    value !== '' &&
    value.length <= chartNameMax &&
    value.isWellFormed() &&
    value === value.trim() &&
    !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(value),
};

const chartNamesMax = 1_000;

export function createUniqueNamesField(min: number): ConfigField<readonly string[]> {
  return {
    fallback: [],
    expects: min === 0 ? 'a list of unique names' : 'a list of one or more unique names',
    accepts: (value): value is readonly string[] =>
      Array.isArray(value) &&
      value.length >= min &&
      value.length <= chartNamesMax &&
      value.every(nameField.accepts) &&
      new Set(value).size === value.length,
  };
}

function createListField(itemName: string, min: number, max: number): ConfigField<unknown> {
  return {
    fallback: [],
    expects: `a list of ${min} to ${max} ${itemName}`,
    accepts: (value): value is unknown => Array.isArray(value) && value.length >= min && value.length <= max,
  };
}

function createRequiredIntegerField(min: number, max: number): RequiredField<number> {
  return toRequiredField(config.createIntegerField(min, min, max));
}

const promptLengthMax = 20_000;

const promptField: ConfigField<string> = {
  fallback: '',
  expects: `text of up to ${promptLengthMax} characters`,
  accepts: (value): value is string => typeof value === 'string' && value.length <= promptLengthMax,
};

/** Describes a value for a message: short values in full, others by their kind. */
export function describeInputValue(value: unknown): string {
  if (typeof value === 'string') return quoteText(value);
  if (Array.isArray(value))
    return value.length > 20 ? `a list of ${value.length}` : clipText(describeInputList(value));
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
}

function describeInputList(items: readonly unknown[]): string {
  return `[${items.map((item) => (Array.isArray(item) ? 'a list' : describeInputValue(item))).join(', ')}]`;
}

/**
 * Creates a chart from its definition. The compiler checks the names; everything else is validated here, as in
 * `parseChart`.
 */
export function defineChart<const Name extends string>(input: ModeChartInput<Name>): ModeChart<Name> {
  // Every name in the result comes from the input, so it has this type.
  return parseChart(input) as ModeChart<Name>;
}

/** Parses a chart from untrusted input. Throws one `ChartError` that says what is wrong and where. */
export function parseChart(value: unknown): ModeChart {
  const chart = parseChartShape(isPlainObject(value) ? upgradeChart(value) : value);
  checkChart(chart);
  return chart;
}

type OptionalProperties<Type> = { readonly [Key in keyof Type]?: Type[Key] | undefined };

/**
 * A mode as written by a user. Omitted fields mean none: no tools, no limits, no prompt. `selectable` defaults to true,
 * except for a stuck state and for the paging state.
 *
 * Names are inferred from `name` alone, so that the compiler reports a wrong name anywhere else.
 */
export type ModeStateInput<Name extends string> = { readonly name: Name } & OptionalProperties<
  Omit<ModeState<NoInfer<Name>>, 'name'>
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

type PartlyParsed<Type, Key extends keyof Type> = Omit<Type, Key> & { readonly [Each in Key]: unknown };
type ParsedChartShape = PartlyParsed<ModeChart, 'states' | 'transitions' | 'onInvalid' | 'finish' | 'paging'>;
type ParsedStateShape = Omit<ModeState, 'selectable'> & { readonly selectable: boolean | null };

const modeChartFields: ShapeFields<ParsedChartShape> = {
  name: toRequiredField(nameField),
  initial: toRequiredField(nameField),
  states: toRequiredField(createListField('states', 1, 100)),
  transitions: { ...createAnyField(), fallback: { by: 'tool' } },
  onInvalid: { ...createAnyField(), fallback: 'refuse' },
  finish: { ...createAnyField(), fallback: null },
  paging: { ...createAnyField(), fallback: null },
  oneAction: createBooleanField(false),
  maxIterations: toNullableField(createRequiredIntegerField(1, 1_000_000_000)),
  prompt: promptField,
};

const modeStateFields: ShapeFields<ParsedStateShape> = {
  name: toRequiredField(nameField),
  aliases: createUniqueNamesField(0),
  tools: {
    fallback: [],
    expects: 'a list of tool names, or "*" for any tool',
    accepts: (value): value is ModeState['tools'] =>
      value === '*' || createUniqueNamesField(0).accepts(value),
  },
  next: createUniqueNamesField(0),
  afterText: toNullableField(nameField),
  stuckState: toNullableField(nameField),
  timeoutMs: toNullableField(createRequiredIntegerField(1, 30 * dayMilliseconds)),
  stuckAfterSteps: toNullableField(createRequiredIntegerField(1, 1_000_000)),
  stuckAfterFailures: toNullableField(createRequiredIntegerField(1, 1_000_000)),
  selectable: toNullableField(createBooleanField(true)),
  terminal: createBooleanField(false),
  prompt: promptField,
};

/** Validates the type of every field and fills in defaults. `checkChart` validates the names afterwards. */
function parseChartShape(value: unknown): ModeChart {
  const parsed = parseFields(modeChartFields, value, []);
  const paging = parsePagingState(parsed.paging, ['paging']);
  const states = (parsed.states as readonly unknown[]).map((state, index) =>
    parseFields(modeStateFields, state, ['states', index]),
  );
  const reserved = new Set([paging?.state, ...states.map(({ stuckState }) => stuckState)]);
  return {
    ...parsed,
    states: states.map((state) => ({ ...state, selectable: state.selectable ?? !reserved.has(state.name) })),
    transitions: parseTransitionPolicy(parsed.transitions, ['transitions']),
    onInvalid: parseInvalidPolicy(parsed.onInvalid, ['onInvalid']),
    finish: parseFinishState(parsed.finish, ['finish']),
    paging,
  };
}

function parseTransitionPolicy(value: unknown, path: ChartPath): TransitionPolicy {
  const by = typeof value === 'object' && value !== null && 'by' in value ? value.by : undefined;
  if (by === 'tool') return parseFields({ by: createLiteralField('tool') }, value, path);
  if (by !== 'reply')
    throw new ChartError(
      path,
      `expects { by: "tool" } or { by: "reply", … }, and got ${describeInputValue(value)}.`,
    );
  const target = toRequiredField(nameField);
  return parseFields(
    { by: createLiteralField('reply'), otherwise: target, afterAction: target, afterFailure: target },
    value,
    path,
  );
}

function parseInvalidPolicy(value: unknown, path: ChartPath): ModeChart['onInvalid'] {
  if (value === 'refuse' || value === 'ignore') return value;
  if (typeof value !== 'object' || value === null)
    throw new ChartError(
      path,
      `expects "refuse", "ignore" or { resetTo: … }, and got ${describeInputValue(value)}.`,
    );
  return parseFields({ resetTo: toRequiredField(nameField) }, value, path);
}

function parseFinishState(value: unknown, path: ChartPath): ModeChart['finish'] {
  return value === null
    ? null
    : parseFields(
        { tools: toRequiredField(createUniqueNamesField(1)), state: toRequiredField(nameField) },
        value,
        path,
      );
}

function parsePagingState(value: unknown, path: ChartPath): ModeChart['paging'] {
  return value === null
    ? null
    : parseFields({ state: toRequiredField(nameField), next: toRequiredField(nameField) }, value, path);
}

/** For fields that have their own parser. */
function createAnyField(): ConfigField<unknown> {
  return { fallback: undefined, expects: 'anything', accepts: (_value): _value is unknown => true };
}

function createLiteralField<Literal extends string>(literal: Literal): ConfigField<Literal> {
  return { fallback: literal, expects: literal, accepts: (value): value is Literal => value === literal };
}

/** Throws a `ChartError` if the names of a chart are inconsistent or a state cannot be reached or left. */
function checkChart(chart: ModeChart): void {
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
