import * as fc from 'fast-check';
import { defineChart } from '../../src/modes/define-chart.ts';
import type { ModeEvent } from '../../src/modes/transition-mode.ts';
import type { ModeChart } from '../../src/modes/mode-chart.ts';
import { codePoint } from '../helpers/code-point.ts';

/** Names that mean something else to some reader. */
export const hostileModeNames = [
  '__proto__',
  'constructor',
  '*',
  'a.b',
  '<b>',
  '"q"',
  '😀',
  'İ',
  'x y',
  '#id',
];

const toolNames = ['search', 'read', 'write', 'finish', ...hostileModeNames];
const someTools = fc.subarray(toolNames, { maxLength: 4 });
const anyLimit = fc.option(fc.integer({ min: 1, max: 6 }));

/** A ring, so that everything is reached, with other moves across it, and an end that may be reached from everywhere. */
export const anyModeChart: fc.Arbitrary<ModeChart> = fc
  .record({
    names: fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', ...hostileModeNames), {
      minLength: 1,
      maxLength: 6,
      selector: (name) => name.toLowerCase(),
    }),
    by: fc.constantFrom('tool', 'reply'),
    onInvalid: fc.constantFrom('refuse', 'ignore', 'reset'),
    hasEnd: fc.boolean(),
    hasPaging: fc.boolean(),
    hasStuck: fc.boolean(),
    oneAction: fc.boolean(),
    maxIterations: anyLimit,
    seeds: fc.infiniteStream(fc.nat()),
    tools: fc.infiniteStream(fc.oneof(fc.constant('*' as const), someTools)),
    limits: fc.infiniteStream(anyLimit),
  })
  .map(
    ({
      names,
      by,
      onInvalid,
      hasEnd,
      hasPaging,
      hasStuck,
      oneAction,
      maxIterations,
      seeds,
      tools,
      limits,
    }) => {
      const [initial = ''] = names;
      const pick = <Item>(items: readonly Item[]) => items[Number(seeds.next().value) % items.length] as Item;
      const extra = [
        ...(hasEnd ? ['the end'] : []),
        ...(hasPaging ? ['paging'] : []),
        ...(hasStuck ? ['stuck'] : []),
      ];
      const transitions = { by, otherwise: pick(names), afterAction: pick(names), afterFailure: pick(names) };
      const states = names.map((name, index) => {
        const following = names[(index + 1) % names.length] ?? initial;
        const byReply =
          by === 'reply' ? [transitions.otherwise, transitions.afterAction, transitions.afterFailure] : [];
        const next = [...new Set([following, pick(names), ...byReply, ...extra])];
        const other = pick(next);
        return {
          name,
          tools: tools.next().value,
          next,
          afterText: other === name ? null : other,
          stuckState: hasStuck ? 'stuck' : null,
          timeoutMs: limits.next().value,
          stuckAfterSteps: limits.next().value,
          stuckAfterFailures: limits.next().value,
        };
      });
      return defineChart({
        name: 'any',
        initial,
        states: [
          ...states,
          ...(hasEnd ? [{ name: 'the end', terminal: true }] : []),
          ...(hasPaging ? [{ name: 'paging', next: [initial] }] : []),
          ...(hasStuck ? [{ name: 'stuck', tools: ['search', 'finish'], next: [initial] }] : []),
        ],
        transitions: by === 'tool' ? { by } : transitions,
        onInvalid: onInvalid === 'reset' ? { resetTo: pick(names) } : onInvalid,
        finish: hasEnd ? { tools: ['finish'], state: 'the end' } : null,
        paging: hasPaging ? { state: 'paging', next: initial } : null,
        oneAction,
        maxIterations,
      });
    },
  );

const anyModeName = fc.oneof(
  fc.constantFrom('a', 'b', 'c', 'A ', 'paging', 'the end', ...toolNames),
  fc.constantFrom('SEARCHING', 'ANALYZING', 'DECIDING', 'thinking', 'commanding', 'executing', 'evaluating'),
  fc.constantFrom('context.fts_search', 'storage_load', 'storage_save'),
  fc.string({ unit: codePoint }),
  fc.constant('x'.repeat(10_000)),
);

/** Anything, in any order, at any time: clocks that go back, and times that are none. */
export const anyModeEvent: fc.Arbitrary<ModeEvent> = fc
  .tuple(
    fc.oneof(
      {
        weight: 4,
        arbitrary: fc.record({
          type: fc.constant('reply-read' as const),
          tools: fc.array(fc.oneof(fc.constantFrom('search', 'read', 'finish'), anyModeName), {
            maxLength: 3,
          }),
          nextState: fc.option(anyModeName),
          text: fc.boolean(),
        }),
      },
      fc.record({ type: fc.constant('reply-failed' as const), reason: anyModeName }),
      fc.record({
        type: fc.constant('results-in' as const),
        ok: fc.boolean(),
        reason: fc.option(anyModeName),
      }),
      fc.constant({ type: 'paging-needed' as const }),
      fc.constant({ type: 'paging-done' as const }),
      fc.constant({ type: 'ticked' as const }),
      fc.record({ type: fc.constant('stuck-found' as const), cause: anyModeName }),
      fc.record({ type: fc.constant('finish-asked' as const), cause: anyModeName }),
      fc.record({ type: fc.constant('move-asked' as const), to: anyModeName, cause: anyModeName }),
    ),
    fc.oneof(fc.nat({ max: 100_000 }), fc.constantFrom(Number.NaN, Infinity, -1)),
  )
  .map(([payload, at]) => ({ ...payload, at }));

/** A chart in which nothing is wrong; what is given takes the place of its own. */
export function createChartInput(changes: object): object {
  return {
    name: 'sample',
    initial: 'a',
    states: [
      { name: 'a', next: ['b'] },
      { name: 'b', next: ['a', 'end'] },
      { name: 'end', terminal: true },
    ],
    ...changes,
  };
}

export function createChartWithState(index: number, changes: object): object {
  const { states } = createChartInput({}) as { readonly states: readonly object[] };
  return createChartInput({
    states: states.map((state, at) => (at === index ? { ...state, ...changes } : state)),
  });
}
