import { dayMs, flag, type Field } from '../field.ts';
import type { ChartPath } from './chart-error.ts';
import { ChartError } from './chart-error.ts';
import {
  listOf,
  name,
  names,
  nullable,
  prompt,
  readFields,
  required,
  shown,
  wholeNumber,
  type ShapeFields,
} from './fields.ts';
import type { Hops, ModeChart, ModeState } from './mode-chart.ts';

type Written<Type, Key extends keyof Type> = Omit<Type, Key> & { readonly [Each in Key]: unknown };
type WrittenChart = Written<ModeChart, 'states' | 'hops' | 'onInvalid' | 'finish' | 'paging'>;
type WrittenState = Omit<ModeState, 'selectable'> & { readonly selectable: boolean | null };

const chartFields: ShapeFields<WrittenChart> = {
  name: required(name),
  initial: required(name),
  states: required(listOf('states', 1, 100)),
  hops: { ...anything(), fallback: { by: 'tool' } },
  onInvalid: { ...anything(), fallback: 'refuse' },
  finish: { ...anything(), fallback: null },
  paging: { ...anything(), fallback: null },
  oneAction: flag(false),
  maxIterations: nullable(wholeNumber(1, 1_000_000_000)),
  prompt,
};

const stateFields: ShapeFields<WrittenState> = {
  name: required(name),
  aliases: names(0),
  tools: {
    fallback: [],
    expects: 'a list of names of tools, or "*" for any',
    accepts: (value): value is ModeState['tools'] => value === '*' || names(0).accepts(value),
  },
  next: names(0),
  afterWords: nullable(name),
  stuckState: nullable(name),
  timeoutMs: nullable(wholeNumber(1, 30 * dayMs)),
  stuckAfterSteps: nullable(wholeNumber(1, 1_000_000)),
  stuckAfterFailures: nullable(wholeNumber(1, 1_000_000)),
  selectable: nullable(flag(true)),
  terminal: flag(false),
  prompt,
};

/** Every field there and of its kind, what was left out filled in. Whether the names exist is looked at afterwards. */
export function readShape(value: unknown): ModeChart {
  const written = readFields(chartFields, value, []);
  const paging = readPaging(written.paging, ['paging']);
  const states = (written.states as readonly unknown[]).map((state, index) =>
    readFields(stateFields, state, ['states', index]),
  );
  const reserved = new Set([paging?.state, ...states.map(({ stuckState }) => stuckState)]);
  return {
    ...written,
    states: states.map((state) => ({ ...state, selectable: state.selectable ?? !reserved.has(state.name) })),
    hops: readHops(written.hops, ['hops']),
    onInvalid: readOnInvalid(written.onInvalid, ['onInvalid']),
    finish: readFinish(written.finish, ['finish']),
    paging,
  };
}

function readHops(value: unknown, path: ChartPath): Hops {
  const by = typeof value === 'object' && value !== null && 'by' in value ? value.by : undefined;
  if (by === 'tool') return readFields({ by: only('tool') }, value, path);
  if (by !== 'reply')
    throw new ChartError(path, `expects { by: "tool" } or { by: "reply", … }, and got ${shown(value)}.`);
  const target = required(name);
  return readFields(
    { by: only('reply'), otherwise: target, afterAction: target, afterFailure: target },
    value,
    path,
  );
}

function readOnInvalid(value: unknown, path: ChartPath): ModeChart['onInvalid'] {
  if (value === 'refuse' || value === 'ignore') return value;
  if (typeof value !== 'object' || value === null)
    throw new ChartError(path, `expects "refuse", "ignore" or { resetTo: … }, and got ${shown(value)}.`);
  return readFields({ resetTo: required(name) }, value, path);
}

function readFinish(value: unknown, path: ChartPath): ModeChart['finish'] {
  return value === null
    ? null
    : readFields({ tools: required(names(1)), state: required(name) }, value, path);
}

function readPaging(value: unknown, path: ChartPath): ModeChart['paging'] {
  return value === null ? null : readFields({ state: required(name), next: required(name) }, value, path);
}

/** For what is read by a function of its own. */
function anything(): Field<unknown> {
  return { fallback: undefined, expects: 'anything', accepts: (_value): _value is unknown => true };
}

function only<Word extends string>(word: Word): Field<Word> {
  return { fallback: word, expects: word, accepts: (value): value is Word => value === word };
}
