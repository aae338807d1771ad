import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { seedPresets, trackerPresets, type TrackerPreset } from '../../src/tracker/presets.ts';
import type { TrackerRecord } from '../../src/tracker/tracker-record.ts';
import {
  startTracking,
  trackRecord,
  listTrackerVerdicts,
  type TrackerState,
} from '../../src/tracker/track-record.ts';
import { deepFreeze } from '../helpers/deep-freeze.ts';
import { recordEdit, createObservedTracker } from './observed-tracker.ts';

const chooseText = (...texts: readonly string[]) => fc.constantFrom(...texts);
const anyStateName = chooseText(
  'Idle',
  'ProcessingPrompt',
  'StreamingResponse',
  'ExecutingTool',
  'ErrorRecovery',
  'ProgressCheck',
  'PhaseTransition',
  'INIT',
  'SEARCHING',
  'ANALYZING',
  'DECIDING',
  'STUCK_SEARCH',
  'nowhere',
);
const anyFile = chooseText('a', 'b', 'c', '__proto__');
const anyOutcome = fc.record(
  {
    success: fc.boolean(),
    error: chooseText('no', 'not at all', ''),
    contentHash: chooseText('1', '2'),
    output: chooseText('', 'x', 'y'),
  },
  { requiredKeys: ['success'] },
);
const anyCall = fc.record(
  {
    tool: chooseText('edit', 'view', 'context.fts_search', 'finish', 'bash'),
    args: fc.jsonValue(),
    file: anyFile,
    command: chooseText('x', ''),
    query: chooseText('q', 'r', ''),
  },
  { requiredKeys: ['tool'] },
) as fc.Arbitrary<Extract<TrackerRecord, { readonly type: 'call-made' }>['call']>;

type UntimedRecord = TrackerRecord extends infer Each
  ? Each extends unknown
    ? Omit<Each, 'at'>
    : never
  : never;

const anyRecordPayload: fc.Arbitrary<UntimedRecord> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ type: fc.constant('call-made'), call: anyCall }) },
  {
    weight: 6,
    arbitrary: fc.record({
      type: fc.constant('call-ended'),
      seq: fc.integer({ min: 0, max: 60 }),
      outcome: anyOutcome,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ type: fc.constant('moved'), to: anyStateName, cause: chooseText('asked') }),
  },
  { weight: 3, arbitrary: fc.constant({ type: 'ticked' }) },
  fc.record({ type: fc.constant('decision-failed'), reason: chooseText('not JSON') }),
  fc.record({ type: fc.constant('message-said'), text: chooseText('a', 'b', '') }),
  fc.record({
    type: fc.constant('test-ran'),
    command: chooseText('t', 'u'),
    passed: fc.boolean(),
    output: chooseText(''),
  }),
  fc.record({ type: fc.constant('file-changed'), file: anyFile, contentHash: chooseText('1', '2') }),
  fc.record({ type: fc.constant('milestone-reached'), description: chooseText('m') }),
  fc.record({ type: fc.constant('blocker-met'), description: chooseText('b') }),
  fc.record({
    type: fc.constant('phase-started'),
    number: fc.integer({ min: -1, max: 4 }),
    description: chooseText('p'),
    expectedMs: fc.constant(null),
  }),
  fc.record({ type: fc.constant('phase-completed'), success: fc.boolean() }),
);

const anyRecords = fc
  .array(fc.tuple(anyRecordPayload, fc.integer({ min: -5, max: 40_000 })), { maxLength: 120, size: 'max' })
  .map((records) => {
    let at = 1_000;
    return records.map(([fact, ms]) => ({ ...fact, at: (at += ms) }));
  });

const nexoraConfigs = [
  {},
  { auto_halt: true },
  { auto_halt: true, recovery_attempts: 0, max_recent_actions: 15, max_recent_errors: 5 },
];
const configsByPreset: { readonly [Preset in TrackerPreset]: readonly object[] } = {
  pawl: [{}, { rules: { 'repeated-failure': false, monologue: { advise: 2 } } }, { enable: false }],
  nexora: nexoraConfigs,
  'nexora-lenient': nexoraConfigs,
  savant: [{}, { policy: 'advise-once-then-force' }, { lenient: true, match_arguments: true }],
};
const createStartArbitrary = (presets: readonly TrackerPreset[]) =>
  fc
    .constantFrom(...presets)
    .chain((preset) =>
      fc.record({ preset: fc.constant(preset), config: fc.constantFrom(...configsByPreset[preset]) }),
    );
const anyStart = createStartArbitrary(trackerPresets);

type TrackerSetup = { readonly preset: TrackerPreset; readonly config: object };
const startTrackerState = ({ preset, config }: TrackerSetup): TrackerState =>
  startTracking({ preset, config, at: 1_000, totalPhases: 3 });
const applyAllRecords = (state: TrackerState, records: readonly TrackerRecord[]): TrackerState =>
  records.reduce((each, record) => trackRecord(each, record).state, state);
const cloneThroughJson = <Value>(value: Value): Value => JSON.parse(JSON.stringify(value)) as Value;

describe('any record', () => {
  it('never throws, and does not change its input [RX-03]', () => {
    fc.assert(
      fc.property(anyStart, anyRecords, (start, records) => {
        let state = startTrackerState(start);
        for (const record of records) state = trackRecord(deepFreeze(state), deepFreeze(record)).state;
      }),
    );
  });

  it('gives the same state when it is recorded again [RX-07, SAV-131]', () => {
    fc.assert(
      fc.property(anyStart, anyRecords, (start, records) => {
        expect(applyAllRecords(startTrackerState(start), records)).toEqual(
          applyAllRecords(startTrackerState(start), records),
        );
      }),
    );
  });

  it('gives the same verdicts after a round trip through JSON at any point [NEX-126]', () => {
    fc.assert(
      fc.property(anyStart, anyRecords, fc.nat(120), (start, records, cut) => {
        const live = applyAllRecords(startTrackerState(start), records);
        const restored = applyAllRecords(
          cloneThroughJson(applyAllRecords(startTrackerState(start), records.slice(0, cut))),
          records.slice(cut),
        );
        expect(restored).toEqual(live);
        expect(cloneThroughJson(live)).toEqual(live);
        const at = records.at(-1)?.at ?? 1_000;
        expect(listTrackerVerdicts(restored.detector, at)).toEqual(listTrackerVerdicts(live.detector, at));
      }),
    );
  });

  it('is remembered within bounds [NEX-33, NEX-34, NEX-113, NEX-114]', () => {
    fc.assert(
      fc.property(anyStart, anyRecords, (start, records) => {
        const { detector, ledger } = applyAllRecords(startTrackerState(start), [...records, ...records]);
        if (detector.kind === 'nexora') {
          expect(detector.actions.length).toBeLessThanOrEqual(detector.config.maxRecentActions);
          expect(detector.errors.length).toBeLessThanOrEqual(detector.config.maxRecentErrors);
        } else if (detector.kind === 'pawl') {
          expect(detector.startedCalls.length).toBeLessThanOrEqual(64);
          expect(detector.windows.call.length).toBeLessThanOrEqual(48);
          expect(detector.activeVerdicts.length).toBeLessThanOrEqual(6);
        } else {
          expect(Math.max(detector.tools.length, detector.queries.length)).toBeLessThanOrEqual(20);
        }
        expect(ledger.messages.length).toBeLessThanOrEqual(5);
        expect(ledger.pending.length).toBeLessThanOrEqual(64);
      }),
    );
  });

  it('raises a condition only if it is new, and reports each transition in order [RN-03, RN-15]', () => {
    fc.assert(
      fc.property(anyStart, anyRecords, (start, records) => {
        let state = startTrackerState(start);
        for (const record of records) {
          const next = trackRecord(state, record);
          const loops = next.signals.flatMap((signal) =>
            signal.type === 'found' ? [signal.verdict.loop] : [],
          );
          expect(loops.filter((loop) => state.reportedLoops.includes(loop))).toEqual([]);
          const moves = next.signals.flatMap((signal) =>
            signal.type === 'state-changed' ? [signal.transition] : [],
          );
          let from: string = state.detector.machine.state;
          for (const move of moves) {
            expect(move.from).toBe(from);
            from = move.to;
          }
          expect(next.state.detector.machine.state).toBe(from);
          state = next.state;
        }
      }),
    );
  });

  it('never leaves a final state [NEX-55, SAV-99]', () => {
    fc.assert(
      fc.property(createStartArbitrary(seedPresets), anyRecords, ({ preset, config }, records) => {
        const end = preset === 'savant' ? 'FINISHING' : 'Halted';
        const ended = trackRecord(startTrackerState({ preset, config }), {
          type: 'moved',
          at: 1_000,
          to: end,
          cause: 'end',
        }).state;
        expect(applyAllRecords(ended, records).detector.machine.state).toBe(end);
      }),
    );
  });
});

describe('productive work', () => {
  it('of a thousand calls over ten phases raises nothing, whatever its order [NEX-02, NEX-03, NEX-93, NEX-115]', () => {
    const steps = fc.array(fc.constantFrom('edit', 'view', 'fail', 'test'), {
      minLength: 1_000,
      maxLength: 1_000,
    });
    fc.assert(
      fc.property(steps, (work) => {
        const { tracker, log: records } = createObservedTracker('nexora', { totalPhases: 10 });
        for (const [index, step] of work.entries()) {
          if (index % 100 === 0) tracker.startPhase(index / 100 + 1);
          // New content each time; an error is followed by something that works.
          if (step === 'fail') recordEdit(tracker, `${index % 3}.go`, { error: 'no' });
          if (step === 'view')
            tracker.recordToolCall({ tool: 'view', file: `${index % 3}.go`, success: true });
          if (step === 'test') tracker.recordTest('go test', true);
          if (step !== 'view') recordEdit(tracker, `${index % 5}.go`, { contentHash: `${index}` });
        }
        expect(records.filter((line) => /stuck|warning/.test(line))).toEqual([]);
      }),
      { numRuns: 10 },
    );
  });
});

describe('memory', () => {
  it('does not grow with the number of calls', () => {
    const { tracker } = createObservedTracker('nexora');
    const size = () => JSON.stringify(tracker).length;
    const work = (times: number) => {
      for (let time = 0; time < times; time += 1) {
        recordEdit(tracker, `${time}.go`, { contentHash: `${time}` });
        tracker.recordTest(`test ${time}`, true, 'x'.repeat(5_000));
        tracker.recordMilestone(`milestone ${time}`);
        tracker.transitionTo(tracker.state === 'Idle' ? 'PhaseTransition' : 'Idle');
      }
    };
    work(1_500);
    const before = size();
    work(1_500);
    expect(size()).toBeLessThan(before * 1.05);
    expect(tracker.history()).toHaveLength(1_000);
  });
});
