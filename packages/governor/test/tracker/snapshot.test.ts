import { describe, expect, it } from 'vitest';
import { restoreTracker } from '../../src/tracker/loop-tracker.ts';
import {
  recordFailedEdits,
  createLoggingCallbacks,
  recordSearch,
  createObservedTracker,
} from './observed-tracker.ts';

const cloneThroughJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

const createValidSnapshot = () =>
  cloneThroughJson(createObservedTracker('nexora').tracker) as { state: { [key: string]: unknown } };

const createSnapshotWithDetector = (change: object) => {
  const { state, ...rest } = createValidSnapshot();
  return { ...rest, state: { ...state, detector: { ...(state['detector'] as object), ...change } } };
};

describe('a tracker saved as JSON', () => {
  it('continues where it stopped, in another process [NEX-126, SAV-130]', () => {
    const { tracker, clock } = createObservedTracker('nexora', { totalPhases: 3 });
    tracker.startPhase(1, 'first');
    recordFailedEdits(tracker, 2);
    const log: string[] = [];
    const restored = restoreTracker(cloneThroughJson(tracker), {
      now: () => clock.at,
      ...createLoggingCallbacks(log),
    });
    expect(restored.toJSON()).toEqual(tracker.toJSON());
    restored.recordToolCall({ tool: 'edit', file: 'main.go', error: 'old_string not found' });
    expect(restored.stuck()).toMatchObject({ stuck: true, evidence: [1, 2, 3] });
    expect(log).toEqual(['stuck: same_error']);
    expect(restored.totalProgress()).toMatchObject({ totalPhases: 3, currentPhase: 1 });
  });

  it('does not raise again what was raised before', () => {
    const { tracker } = createObservedTracker('nexora');
    recordFailedEdits(tracker, 3);
    const log: string[] = [];
    const restored = restoreTracker(cloneThroughJson(tracker), {
      now: () => 0,
      ...createLoggingCallbacks(log),
    });
    restored.recordToolCall({ tool: 'edit', file: 'main.go', error: 'old_string not found' });
    expect(restored.stuck().stuck).toBe(true);
    expect(log).toEqual([]);
  });

  it('is still stuck, and finishes with its reason', () => {
    const { tracker } = createObservedTracker('savant');
    recordSearch(tracker, 'x');
    recordSearch(tracker, 'x');
    const restored = restoreTracker(cloneThroughJson(tracker), { now: () => 5_000 });
    expect([restored.state, restored.stuck().rule]).toEqual(['STUCK_SEARCH', 'repeated_query']);
    restored.tick();
    expect(restored.ending()?.reason).toBe('stuck_detection');
  });

  it.each([
    ['nothing', null, 'expected version 1 or 2, and got null'],
    ['another version', { ...createValidSnapshot(), version: 3 }, 'expected version 1 or 2'],
    ['no session', { ...createValidSnapshot(), sessionId: 5 }, 'expected a sessionId, and got 5'],
    ['no state', { ...createValidSnapshot(), state: [] }, 'expected a state with one of the presets'],
    [
      'another preset',
      { ...createValidSnapshot(), state: { ...createValidSnapshot().state, preset: 'loom' } },
      'one of the presets pawl, nexora',
    ],
    [
      'a missing part',
      { ...createValidSnapshot(), state: { ...createValidSnapshot().state, ledger: {} } },
      'a number at state.ledger.callsMade',
    ],
    ['an invalid list', createSnapshotWithDetector({ actions: {} }), 'a list at state.detector.actions'],
    [
      'an unknown state',
      createSnapshotWithDetector({
        machine: { ...createObservedTracker('savant').tracker.toJSON().state.detector.machine },
      }),
      'a known machine state, and got "INIT"',
    ],
    [
      'a wrong configuration',
      createSnapshotWithDetector({
        config: {
          ...createObservedTracker('nexora').tracker.toJSON().state.detector.config,
          stuckThreshold: -1,
        },
      }),
      'stuckThreshold expects',
    ],
  ])('is not restored from %s', (_, snapshot, message) => {
    expect(() => restoreTracker(snapshot, { now: () => 0 })).toThrow(message);
  });
});
