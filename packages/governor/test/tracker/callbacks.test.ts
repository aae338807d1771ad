import { describe, expect, it } from 'vitest';
import { recordEdit, recordFailedEdits, recordSearch, createObservedTracker } from './observed-tracker.ts';

describe('callbacks', () => {
  it('report each state change, after it [NEX-71, NEX-95, NEX-119, RN-15]', () => {
    const seen: string[] = [];
    const { tracker } = createObservedTracker('nexora', {
      onStateChange: (from, to, cause) => seen.push(`${from} ${to} ${cause} ${tracker.state}`),
    });
    tracker.transitionTo('ProcessingPrompt', 'a prompt');
    tracker.transitionTo('Idle');
    expect(seen).toEqual(['Idle ProcessingPrompt a prompt ProcessingPrompt']);
  });

  it('report a stuck condition once while it holds [NEX-72, NEX-95, RN-03]', () => {
    const reports: unknown[] = [];
    const { tracker } = createObservedTracker('nexora', { onStuck: (report) => reports.push(report) });
    recordFailedEdits(tracker, 3);
    const report = tracker.stuck();
    recordFailedEdits(tracker, 4);
    expect(reports).toEqual([report]);
    recordEdit(tracker, 'main.go');
    recordFailedEdits(tracker, 3);
    expect(reports).toHaveLength(2);
  });

  it('report a different condition again', () => {
    const { tracker, log } = createObservedTracker('nexora');
    recordFailedEdits(tracker, 3);
    recordFailedEdits(tracker, 3, 'other.go');
    expect(log).toEqual(['stuck: same_error', 'stuck: same_error']);
  });

  it('report progress every ten calls [NEX-73, NEX-74, NEX-95, RN-04]', () => {
    const stats: unknown[] = [];
    const { tracker } = createObservedTracker('nexora', {
      onProgress: ({ calls, filesModified, recentSuccesses, recentFailures }) =>
        stats.push({ calls, filesModified, recentSuccesses, recentFailures }),
    });
    for (let index = 0; index < 29; index += 1) {
      if (index % 10 === 9) recordFailedEdits(tracker, 1);
      else recordEdit(tracker, `${index}.go`);
    }
    expect(stats).toEqual([
      { calls: 10, filesModified: 9, recentSuccesses: 9, recentFailures: 1 },
      { calls: 20, filesModified: 18, recentSuccesses: 18, recentFailures: 2 },
    ]);
  });

  it('come in order: state changes, matches, progress [RN-15]', () => {
    const { tracker, log } = createObservedTracker('nexora', {
      autoHalt: true,
      config: { progress_callback_interval: 3, recovery_attempts: 0 },
    });
    recordFailedEdits(tracker, 3);
    expect(log).toEqual(['Idle → Halted', 'stuck: same_error', 'progress: 3']);
  });

  it('that throw do no harm, and their errors are collected [RN-15]', () => {
    const thrown = new Error('a bad listener');
    const log: string[] = [];
    const { tracker } = createObservedTracker('nexora', {
      onStateChange: () => {
        throw thrown;
      },
      onStuck: () => void log.push('stuck'),
    });
    expect(tracker.transitionTo('ProcessingPrompt')).toEqual({
      ok: true,
      state: 'ProcessingPrompt',
      error: null,
    });
    recordFailedEdits(tracker, 3);
    expect(log).toEqual(['stuck']);
    expect(tracker.callbackErrors).toEqual([thrown]);
    for (let time = 0; time < 100; time += 1) tracker.transitionTo('ProcessingPrompt');
    expect(tracker.callbackErrors).toHaveLength(20);
  });

  it('may change the state themselves; nested changes are reported in order [NEX-72, RN-15]', () => {
    const log: string[] = [];
    const { tracker } = createObservedTracker('nexora', {
      config: { progress_callback_interval: 3 },
      onStateChange: (from, to) => void log.push(`${from} → ${to}`),
      onStuck: () => {
        log.push('stuck');
        tracker.transitionTo('Halted');
      },
      onProgress: () => void log.push('progress'),
    });
    recordFailedEdits(tracker, 3);
    expect(tracker.state).toBe('Halted');
    expect(log).toEqual(['stuck', 'progress', 'Idle → Halted']);
  });

  it('that trigger each other endlessly are stopped', () => {
    const { tracker } = createObservedTracker('nexora', {
      onStateChange: () => void tracker.transitionTo('ProcessingPrompt'),
    });
    tracker.transitionTo('ProcessingPrompt');
    expect(String(tracker.callbackErrors.at(-1))).toContain('dropped');
    expect(tracker.transitionTo('Halted').ok).toBe(true);
  });

  it('report entering and leaving a stuck state', () => {
    const { tracker, log } = createObservedTracker('savant');
    recordSearch(tracker, 'x');
    recordSearch(tracker, 'x');
    tracker.tick();
    expect(log).toEqual([
      'INIT → SEARCHING',
      'SEARCHING → STUCK_SEARCH',
      'stuck: repeated_query',
      'STUCK_SEARCH → FINISHING',
    ]);
  });
});
