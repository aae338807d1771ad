import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  listAllowedTools,
  isTerminalMode,
  listNextStates,
  listOfferedTools,
  type ModeEvent,
  transitionMode,
  type ModeTransition,
} from '../../src/modes/transition-mode.ts';
import { modeCharts } from '../../src/modes/charts/built-in.ts';
import { startMode, type CurrentMode, findReachedModeLimit } from '../../src/modes/mode.ts';
import { getModeState, type ModeChart } from '../../src/modes/mode-chart.ts';
import { renderModeSection } from '../../src/modes/mode-prompt.ts';
import { anyModeEvent, anyModeChart } from './sample-charts.ts';
import { codePoint } from '../helpers/code-point.ts';

const someChart = fc.oneof(anyModeChart, fc.constantFrom<ModeChart>(...Object.values<ModeChart>(modeCharts)));
const someModeEvents = fc.array(anyModeEvent, { maxLength: 40 });

const searchPick = { type: 'reply-read', tools: ['search'], nextState: null, text: true } as const;

function runModeEvents(
  chart: ModeChart,
  events: readonly ModeEvent[],
  each: (before: CurrentMode, after: ModeTransition, event: ModeEvent) => void = () => {},
): CurrentMode {
  let mode = startMode(chart, 0);
  for (const event of events) {
    const after = transitionMode(chart, mode, event);
    each(mode, after, event);
    mode = after.mode;
  }
  return mode;
}

describe('for any events in any order', () => {
  it('a mode is a state of its chart, plain JSON, bounded and deterministic [LKJ1-01, SAV-131, RX-03]', () => {
    fc.assert(
      fc.property(someChart, someModeEvents, (chart, events) => {
        const mode = runModeEvents(chart, events, (_, { mode: after, ok, error }) => {
          expect(getModeState(chart, after.state)).toBeDefined();
          expect(ok).toBe(error === null);
        });
        expect(JSON.parse(JSON.stringify(mode))).toEqual(mode);
        expect(runModeEvents(chart, events)).toEqual(mode);
        expect(JSON.stringify(mode).length).toBeLessThan(60_000);
      }),
    );
  });

  it('a transition is in the chart, or is a reset that the chart defines', () => {
    fc.assert(
      fc.property(someChart, someModeEvents, (chart, events) => {
        runModeEvents(chart, events, (before, { mode, changes, ok }) => {
          let at = before.state;
          for (const { from, to } of changes) {
            expect(from).toBe(at);
            const falls = [chart.onInvalid, chart.transitions].flatMap((each) => Object.values(each));
            const { next = [], selectable = true } = getModeState(chart, from) ?? {};
            // A state one only falls into need not name where replies lead from everywhere.
            const isFall = (!ok || !selectable) && falls.includes(to);
            expect(next.includes(to) || isFall).toBe(true);
            at = to;
          }
          expect(at).toBe(mode.state);
        });
      }),
    );
  });

  it('the model never reaches a state that it may not choose', () => {
    fc.assert(
      fc.property(someChart, someModeEvents, (chart, events) => {
        runModeEvents(chart, events, (before, { mode }, event) => {
          if (event.type !== 'reply-read' || mode.state === before.state) return;
          const falls = [chart.onInvalid, chart.transitions].flatMap((each) => Object.values(each));
          const { afterText = null } = getModeState(chart, before.state) ?? {};
          const isChosen = getModeState(chart, mode.state)?.selectable;
          expect(isChosen || falls.includes(mode.state) || afterText === mode.state).toBe(true);
        });
      }),
    );
  });

  it('a tool that is not refused is allowed by the mode, or is a finish tool', () => {
    fc.assert(
      fc.property(someChart, someModeEvents, (chart, events) => {
        runModeEvents(chart, events, (_, { mode, refused }, event) => {
          if (event.type !== 'reply-read' || chart.transitions.by !== 'tool') return;
          const used = event.tools.filter((tool) => !refused.includes(tool));
          const isEnd = used.every((tool) => chart.finish?.tools.includes(tool));
          expect(isEnd || listAllowedTools(chart, mode, used).length === used.length).toBe(true);
        });
      }),
    );
  });

  it('an offered tool is accepted, and any other is refused', () => {
    fc.assert(
      fc.property(someChart, someModeEvents, fc.string(), (chart, events, tool) => {
        const mode = runModeEvents(chart, events);
        for (const each of ['search', 'finish', '__proto__', tool]) {
          const reply = { type: 'reply-read', tools: [each], nextState: null, text: true, at: 0 } as const;
          const isOffered = listOfferedTools(chart, mode, [each]).length === 1;
          expect(transitionMode(chart, mode, reply).refused).toEqual(isOffered ? [] : [each]);
        }
      }),
    );
  });

  it('a terminal state is never left, and never overdue', () => {
    fc.assert(
      fc.property(someChart, someModeEvents, (chart, events) => {
        runModeEvents(chart, events, (before, { mode, changes }) => {
          if (!isTerminalMode(chart, before)) return;
          expect([mode.state, changes]).toEqual([before.state, []]);
          expect(findReachedModeLimit(chart, mode, 1e15)).toBeNull();
        });
      }),
    );
  });

  it('the prompt section has one line per item', () => {
    fc.assert(
      fc.property(someChart, someModeEvents, fc.string({ unit: codePoint }), (chart, events, advice) => {
        const mode = runModeEvents(chart, events);
        const lines = renderModeSection(chart, mode, { at: Number.NaN, advice: `!${advice}` }).split('\n');
        expect(lines[2]).toMatch(/^Phase Duration: \d+ms$/);
        expect(lines.map((line) => line.split(':')[0])).toEqual([
          '## Agent State',
          'Current Phase',
          'Phase Duration',
          'Status',
          'Advice',
          'Allowed Tools',
          'Next Phases',
        ]);
      }),
    );
  });

  it('the history holds the latest changes, however many there were', () => {
    const { lkj } = modeCharts;
    const at = Array.from({ length: 500 }, (_, index) => index);
    const mode = runModeEvents(
      lkj,
      at.map((time) => ({
        type: 'move-asked',
        to: time % 2 === 0 ? 'commanding' : 'thinking',
        cause: '',
        at: time,
      })),
    );
    expect(mode.history).toHaveLength(50);
    expect(mode.history.at(-1)?.at).toBe(499);
  });

  it('any persisted mode is corrected', () => {
    fc.assert(
      fc.property(someChart, fc.string(), anyModeEvent, (chart, state, event) => {
        const { mode } = transitionMode(chart, { ...startMode(chart, 0), state }, event);
        expect(getModeState(chart, mode.state)).toBeDefined();
        expect(transitionMode(chart, { ...mode, state: '\0' }, { ...searchPick, at: 0 }).refused).toEqual([
          'search',
        ]);
        expect(listNextStates(chart, { ...mode, state: '\0' })).toEqual([]);
      }),
    );
  });
});
