import { dayMilliseconds, createBooleanField, type ConfigField } from '@pawl/governor';
import type { ChartPath } from './chart-error.ts';
import { ChartError } from './chart-error.ts';
import {
  createListField,
  nameField,
  createUniqueNamesField,
  toNullableField,
  promptField,
  parseFields,
  toRequiredField,
  describeInputValue,
  createRequiredIntegerField,
  type ShapeFields,
} from './chart-fields.ts';
import type { TransitionPolicy, ModeChart, ModeState } from './mode-chart.ts';

type PartlyParsed<Type, Key extends keyof Type> = Omit<Type, Key> & { readonly [Each in Key]: unknown };
type ParsedChartShape = PartlyParsed<ModeChart, 'states' | 'hops' | 'onInvalid' | 'finish' | 'paging'>;
type ParsedStateShape = Omit<ModeState, 'selectable'> & { readonly selectable: boolean | null };

const modeChartFields: ShapeFields<ParsedChartShape> = {
  name: toRequiredField(nameField),
  initial: toRequiredField(nameField),
  states: toRequiredField(createListField('states', 1, 100)),
  hops: { ...createAnyField(), fallback: { by: 'tool' } },
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
  afterWords: toNullableField(nameField),
  stuckState: toNullableField(nameField),
  timeoutMs: toNullableField(createRequiredIntegerField(1, 30 * dayMilliseconds)),
  stuckAfterSteps: toNullableField(createRequiredIntegerField(1, 1_000_000)),
  stuckAfterFailures: toNullableField(createRequiredIntegerField(1, 1_000_000)),
  selectable: toNullableField(createBooleanField(true)),
  terminal: createBooleanField(false),
  prompt: promptField,
};

/** Validates the type of every field and fills in defaults. `checkChart` validates the names afterwards. */
export function parseChartShape(value: unknown): ModeChart {
  const parsed = parseFields(modeChartFields, value, []);
  const paging = parsePagingState(parsed.paging, ['paging']);
  const states = (parsed.states as readonly unknown[]).map((state, index) =>
    parseFields(modeStateFields, state, ['states', index]),
  );
  const reserved = new Set([paging?.state, ...states.map(({ stuckState }) => stuckState)]);
  return {
    ...parsed,
    states: states.map((state) => ({ ...state, selectable: state.selectable ?? !reserved.has(state.name) })),
    hops: parseTransitionPolicy(parsed.hops, ['hops']),
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
