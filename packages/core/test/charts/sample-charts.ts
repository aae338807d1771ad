import * as fc from 'fast-check';
import type { Chart, ChartMove, ChartState } from '../../src/charts/chart.ts';
import { codePoint } from '../helpers/code-point.ts';

/** Names that mean something else to some reader: markup, arrows, keywords, what objects already have, no name at all. */
export const hostileNames: readonly string[] = [
  '"quoted" and \'quoted\'',
  'a --> b',
  '</svg><script>alert(1)</script>',
  '😀 emoji',
  '__proto__',
  'constructor',
  'toString',
  '',
  ' ',
  'two words',
  'dotted.name',
  '.leading',
  '#hash',
  'back\\slash',
  'line\nbreak',
  'a:b;c',
  '&amp;',
  '#quot;',
  'state',
  'end',
  'note',
  'direction LR',
  '[*]',
  '[[fork]]',
  '<<choice>>',
  '%%{init: {}}%%',
  '1. list',
  '*',
  'any.*',
  'xstate.stop',
  's1',
  'S1',
  '()',
  'Zustände',
  '状態',
  'ﬂ°lt¶ß',
  '\u0000\u0007\uFFFF',
  '\uD800 half',
];

export function createTestState(
  name: string,
  kind: ChartState['kind'],
  ...transitions: readonly ChartMove[]
): ChartState {
  return { name, kind, description: name, transitions };
}

export function createTestMove(on: string | null, to: string, guard: string | null = null): ChartMove {
  return { on, guard, to, actions: [] };
}

/** A chart in which every name is hostile: of the states, the events, the conditions and the actions. */
export const hostileChart: Chart = {
  name: '</title>',
  initial: hostileNames[0] ?? '',
  states: hostileNames.map((name, index) =>
    createTestState(
      name,
      (['waiting', 'passing', 'terminal'] as const)[index % 3] ?? 'waiting',
      { on: name, guard: null, to: hostileNames[(index + 1) % hostileNames.length] ?? '', actions: [name] },
      { on: name, guard: name, to: hostileNames[(index + 7) % hostileNames.length] ?? '', actions: [] },
      { on: `on ${name}`, guard: null, to: name, actions: [] },
    ),
  ),
};

const anyChartName = fc.oneof(
  fc.constantFrom(...hostileNames),
  fc.string({ unit: codePoint, maxLength: 60 }),
  fc.array(fc.nat({ max: 0xff_ff }), { maxLength: 8 }).map((codes) => String.fromCharCode(...codes)),
);

const anyMove = fc.record({
  on: fc.option(anyChartName),
  guard: fc.option(anyChartName),
  to: anyChartName,
  actions: fc.array(anyChartName, { maxLength: 2 }),
});

const anyState = fc.record({
  name: anyChartName,
  description: anyChartName,
  kind: fc.constantFrom('waiting', 'passing', 'terminal'),
  transitions: fc.array(anyMove, { maxLength: 5 }),
});

/** An arbitrary chart: duplicate names, undeclared targets, no transitions, no states. */
export const anyChart: fc.Arbitrary<Chart> = fc.record({
  name: anyChartName,
  initial: anyChartName,
  states: fc.array(anyState, { maxLength: 9 }),
});
