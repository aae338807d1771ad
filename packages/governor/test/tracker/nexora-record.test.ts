import { describe, expect, it } from 'vitest';
import { recordEdit, recordFailedEdits, createObservedTracker } from './observed-tracker.ts';

describe('messages', () => {
  it('are duplicates if identical to one of the last five [NEX-21, NEX-90]', () => {
    const { tracker } = createObservedTracker('nexora');
    for (const text of ['a', 'b', 'c', 'd', 'e']) expect(tracker.recordMessage(text).duplicate).toBe(false);
    expect(tracker.recordMessage('a').duplicate).toBe(true);
    expect(tracker.recordMessage('A').duplicate).toBe(false);
    expect(tracker.recordMessage('a').duplicate).toBe(false);
    expect(tracker.progress().duplicateMessages).toBe(1);
  });

  it('that are duplicates do not push others out', () => {
    const { tracker } = createObservedTracker('nexora');
    for (const text of ['a', 'b', 'b', 'b', 'b', 'b', 'b']) tracker.recordMessage(text);
    expect(tracker.recordMessage('a').duplicate).toBe(true);
  });
});

describe('recorded work', () => {
  it('contains files with their content, commands, tests, milestones [NEX-24, NEX-30..32, NEX-67, NEX-74]', () => {
    const { tracker } = createObservedTracker('nexora');
    tracker.recordFileModification('a.go', 'hash 1');
    tracker.recordFileModification('a.go', 'hash 2');
    recordEdit(tracker, 'b.go', { contentHash: 'hash 3' });
    tracker.recordToolCall({ tool: 'view', file: 'c.go', success: true });
    tracker.recordToolCall({ tool: 'bash', command: 'go build', success: true });
    recordFailedEdits(tracker, 1, 'd.go');
    tracker.recordTest('go test', true, 'PASS');
    tracker.recordTest('go vet', false, 'FAIL');
    tracker.recordMilestone('it compiles');
    expect(tracker.progress()).toEqual({
      calls: 4,
      filesModified: 2,
      commandsExecuted: 1,
      testsPassed: 1,
      testsFailed: 1,
      recentSuccesses: 3,
      recentFailures: 1,
      consecutiveErrors: 1,
      duplicateMessages: 0,
      milestones: 1,
    });
    const { ledger } = tracker.toJSON().state;
    expect(ledger.files).toEqual([
      { path: 'a.go', contentHash: 'hash 2' },
      { path: 'b.go', contentHash: 'hash 3' },
    ]);
    expect(ledger.commands).toEqual(['go build']);
    expect(ledger.tests).toEqual([
      { command: 'go test', passed: true, output: 'PASS' },
      { command: 'go vet', passed: false, output: 'FAIL' },
    ]);
  });

  it('accepts any file name', () => {
    const { tracker } = createObservedTracker('nexora');
    for (const file of ['__proto__', 'constructor', '__proto__', '1'])
      tracker.recordFileModification(file, 'h');
    expect(tracker.progress().filesModified).toBe(3);
  });

  it('remembers twenty actions and ten errors [NEX-33..35, NEX-113, NEX-114]', () => {
    const { tracker } = createObservedTracker('nexora', { config: { stuck_threshold: 10 } });
    for (let time = 0; time < 30; time += 1) recordFailedEdits(tracker, 1, `${time}.go`);
    const { detector } = tracker.toJSON().state;
    if (detector.kind !== 'nexora') throw new Error(detector.kind);
    expect(detector.actions.map(({ seq }) => seq)).toEqual(
      Array.from({ length: 20 }, (_, index) => index + 11),
    );
    expect(detector.errors.map(({ seq }) => seq)).toEqual(
      Array.from({ length: 10 }, (_, index) => index + 21),
    );
    expect(detector.consecutiveErrors).toBe(30);
  });

  it('remembers only the configured number [NEX-113, NEX-114]', () => {
    const config = { max_recent_errors: 1, stuck_threshold: 1, max_recent_actions: 4, no_progress_window: 4 };
    const { tracker } = createObservedTracker('nexora', { config });
    for (let time = 0; time < 9; time += 1) recordFailedEdits(tracker, 1, `${time}.go`);
    const { detector } = tracker.toJSON().state;
    expect(detector).toMatchObject({
      errors: [{ seq: 9 }],
      actions: [{ seq: 6 }, { seq: 7 }, { seq: 8 }, { seq: 9 }],
    });
  });

  it('has no negative duration if the clock is set back', () => {
    const { tracker, clock } = createObservedTracker('nexora');
    clock.at -= 500;
    tracker.transitionTo('ProcessingPrompt');
    expect([tracker.elapsedMs(), tracker.history()[0]?.durationMs]).toEqual([0, 0]);
  });

  it('waits for the outcome of a call that was recorded before it ran [RS-14]', () => {
    const { tracker } = createObservedTracker('nexora');
    const first = tracker.recordToolCall({ tool: 'edit', file: 'a.go' }).call;
    const second = tracker.recordToolCall({ tool: 'edit', file: 'b.go' }).call;
    expect(tracker.progress().calls).toBe(0);
    expect(tracker.recordOutcome(second, { success: false, error: 'no' }).ok).toBe(true);
    expect(tracker.recordOutcome(first, { success: true }).ok).toBe(true);
    expect(tracker.progress()).toMatchObject({ calls: 2, filesModified: 1, recentFailures: 1 });
    for (const call of [first, 99]) {
      expect(tracker.recordOutcome(call, { success: true })).toMatchObject({
        ok: false,
        error: `no call ${call} is under way`,
      });
    }
    expect(tracker.progress().calls).toBe(2);
  });
});

describe('a phase', () => {
  it('has a number, a description, its times, its files, its tests and its blockers [NEX-22, NEX-36, NEX-38..42, NEX-92]', () => {
    const { tracker, clock } = createObservedTracker('nexora', { totalPhases: 2 });
    tracker.startPhase(1, 'rename', 900_000);
    for (const file of ['a.go', 'b.go', 'a.go']) recordEdit(tracker, file);
    recordFailedEdits(tracker, 1, 'c.go');
    tracker.recordFileModification('d.go', 'hash');
    tracker.recordTest('go test', true);
    tracker.recordTest('go vet', false);
    tracker.recordBlocker('the linter is missing');
    clock.at += 500;
    tracker.completePhase(false);
    expect(tracker.phases().completed).toEqual([
      {
        number: 1,
        description: 'rename',
        startedAt: 1_000,
        expectedMs: 900_000,
        files: ['a.go', 'b.go', 'd.go'],
        filesChanged: 3,
        testsPassed: 1,
        blockers: ['the linter is missing'],
        endedAt: 1_500,
        success: false,
      },
    ]);
  });

  it('is completed by the start of the next, and by its own end [NEX-16, NEX-43..45, NEX-68, NEX-69]', () => {
    const { tracker } = createObservedTracker('nexora', { totalPhases: 3 });
    tracker.startPhase(1);
    expect(tracker.state).toBe('PhaseTransition');
    tracker.startPhase(2);
    expect(tracker.totalProgress()).toMatchObject({ totalPhases: 3, completedPhases: 1, currentPhase: 2 });
    tracker.completePhase(false);
    expect(tracker.totalProgress()).toMatchObject({
      completedPhases: 2,
      successfulPhases: 1,
      currentPhase: null,
    });
  });

  it('counts once, however it is completed [RN-08]', () => {
    const { tracker } = createObservedTracker('nexora');
    tracker.startPhase(1);
    expect([tracker.completePhase(false).ok, tracker.completePhase(true).ok]).toEqual([true, true]);
    tracker.startPhase(2);
    tracker.startPhase(2);
    tracker.startPhase(1);
    tracker.completePhase(true);
    expect(tracker.phases().completed.map(({ number, success }) => [number, success])).toEqual([
      [1, false],
      [2, true],
    ]);
  });

  it('that is started twice restarts, and is not completed', () => {
    const { tracker, clock } = createObservedTracker('nexora');
    tracker.startPhase(1);
    clock.at += 5;
    tracker.startPhase(1);
    tracker.completePhase(false);
    expect(tracker.phases().completed).toMatchObject([{ number: 1, startedAt: 1_005, success: false }]);
  });

  it('cannot be completed before it was started, nor have an invalid number', () => {
    const { tracker } = createObservedTracker('nexora', { totalPhases: 3 });
    expect(tracker.completePhase(true)).toMatchObject({ ok: false, state: 'Idle' });
    for (const number of [0, 4, 1.5, Number.NaN]) {
      expect(tracker.startPhase(number)).toMatchObject({ ok: false, state: 'Idle' });
    }
    expect(tracker.phases()).toEqual({ total: 3, current: null, completed: [] });
  });

  it('changes nothing if it cannot start in the current state', () => {
    const { tracker } = createObservedTracker('nexora');
    tracker.startPhase(1);
    for (const state of ['ProcessingPrompt', 'StreamingResponse'] as const) tracker.transitionTo(state);
    recordFailedEdits(tracker, 3);
    const before = JSON.stringify(tracker);
    expect(tracker.startPhase(2)).toMatchObject({ ok: false, state: 'StreamingResponse' });
    expect(JSON.stringify(tracker)).toBe(before);
  });

  it('can start during a phase transition [RN-09]', () => {
    const { tracker } = createObservedTracker('nexora');
    tracker.startPhase(1);
    expect(tracker.startPhase(2)).toEqual({ ok: true, state: 'PhaseTransition', error: null });
  });

  it.each(['startPhase', 'transitionTo', 'completePhase'] as const)(
    'clears recent errors by %s, and keeps the recorded work [NEX-05, NEX-15, NEX-22, RX-11]',
    (how) => {
      const { tracker } = createObservedTracker('nexora');
      tracker.startPhase(1);
      tracker.recordMessage('hello');
      tracker.recordTest('go test', true);
      tracker.recordMilestone('half way');
      tracker.recordFileModification('a.go', 'hash');
      recordFailedEdits(tracker, 3);
      expect(tracker.stuck().stuck).toBe(true);
      if (how === 'startPhase') tracker.startPhase(2);
      if (how === 'completePhase') tracker.completePhase();
      if (how === 'transitionTo') tracker.transitionTo('PhaseTransition');
      expect(tracker.stuck().stuck).toBe(false);
      expect(tracker.toJSON().state.detector).toMatchObject({
        actions: [],
        errors: [],
        consecutiveErrors: 0,
      });
      expect(tracker.progress()).toMatchObject({ testsPassed: 1, milestones: 1, filesModified: 1, calls: 3 });
      expect(tracker.recordMessage('hello').duplicate).toBe(false);
    },
  );
});
