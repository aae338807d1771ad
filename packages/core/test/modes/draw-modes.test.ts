import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createMachine, getNextSnapshot } from 'xstate';
import { toMermaid } from '../../src/charts/to-mermaid.ts';
import { toXState } from '../../src/charts/to-xstate.ts';
import { modeCharts } from '../../src/modes/charts/built-in.ts';
import {
  toDrawableChart,
  listPossibleTransitions,
  type PossibleTransition,
} from '../../src/modes/draw-modes.ts';
import type { ModeChart } from '../../src/modes/mode-chart.ts';
import { anyModeChart } from './sample-charts.ts';
import { createModeInState, applyModePayload } from './walk-mode-chart.ts';

const allModeCharts = Object.values<ModeChart>(modeCharts);

/** The state that XState is in when this way, and no other with a condition, is open. */
function runInXState(chart: ModeChart, from: string, { payload, guard }: PossibleTransition): unknown {
  const drawn = toDrawableChart(chart);
  const conditions = drawn.states.flatMap(({ transitions }) =>
    transitions.flatMap((move) => move.guard ?? []),
  );
  const machine = createMachine(toXState(drawn)).provide({
    guards: Object.fromEntries(conditions.map((name) => [name, () => name === guard])),
  });
  return getNextSnapshot(machine, machine.resolveState({ value: from }), { type: payload.type }).value;
}

describe.each(allModeCharts)('the drawing of $name', (chart) => {
  const drawn = toDrawableChart(chart);

  it('has all states and exactly the transitions of the chart, including resets', () => {
    expect(drawn.states.map(({ name }) => name)).toEqual(chart.states.map(({ name }) => name));
    for (const [index, { next, terminal, name }] of chart.states.entries()) {
      const targets = new Set(drawn.states[index]?.transitions.map(({ to }) => to));
      const isRight = typeof chart.onInvalid === 'string' || terminal || name === chart.paging?.state;
      const resets = isRight || typeof chart.onInvalid === 'string' ? [] : [chart.onInvalid.resetTo];
      expect(targets).toEqual(new Set([...next, ...resets]));
    }
  });

  it('runs in XState, and each transition has the same target as transitionMode', () => {
    let result = 0;
    for (const state of chart.states) {
      for (const path of listPossibleTransitions(chart, state)) {
        expect(runInXState(chart, state.name, path)).toBe(path.to);
        expect(applyModePayload(chart, createModeInState(chart, state.name), path.payload).mode.state).toBe(
          path.to,
        );
        result += 1;
      }
    }
    expect(result).toBe(drawn.states.flatMap(({ transitions }) => transitions).length);
    expect(result).toBeGreaterThan(0);
  });

  it('is final in XState where the chart is terminal', () => {
    const { states } = toXState(drawn);
    const ends = Object.keys(states).filter((name) => states[name]?.type === 'final');
    expect(ends).toEqual(chart.states.filter(({ terminal }) => terminal).map(({ name }) => name));
  });

  it('is rendered as Mermaid', () => {
    expect(toMermaid(drawn)).toMatch(/^stateDiagram-v2\n/);
  });
});

describe('the drawing of savant', () => {
  it('shows the cause of each transition', () => {
    const mermaid = toMermaid(toDrawableChart(modeCharts.savant));
    expect(mermaid).toContain(
      'INIT --> SEARCHING : reply-read [calls context.fts_search or context.memory_search]',
    );
    expect(mermaid).toContain('SEARCHING --> ANALYZING : reply-read [has text]');
    expect(mermaid).toContain('ANALYZING --> DECIDING : reply-read [calls another tool]');
    expect(mermaid).toContain('FINISHING --> [*]');
  });
});

describe('the drawing of any chart', () => {
  it('is correct: each transition leads to its target', () => {
    fc.assert(
      fc.property(anyModeChart, (chart) => {
        for (const state of chart.states) {
          const ways = listPossibleTransitions(chart, state);
          for (const path of ways)
            expect(
              applyModePayload(chart, createModeInState(chart, state.name), path.payload).mode.state,
            ).toBe(path.to);
          for (const to of state.next) expect(ways.some((path) => path.to === to)).toBe(true);
        }
      }),
    );
  });

  it('is exported in every format', () => {
    fc.assert(
      fc.property(anyModeChart, (chart) => {
        const drawn = toDrawableChart(chart);
        createMachine(toXState(drawn));
        expect(toMermaid(drawn)).toMatch(/^stateDiagram-v2\n/);
      }),
      { numRuns: 30 },
    );
  });
});
