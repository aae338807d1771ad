import { describe, expect, it } from 'vitest';
import { createTracker, type LoopTracker } from '../../src/tracker/loop-tracker.ts';
import { recordEdit, recordFailedEdits, notFoundError, createObservedTracker } from './observed-tracker.ts';

describe('basic use', () => {
  it('goes from idle to a tool, records an edit, and reports no problem [NEX-07, NEX-20, NEX-23, NEX-56, NEX-57, NEX-59, NEX-60]', () => {
    const { tracker, log: told } = createObservedTracker('nexora');
    expect([tracker.sessionId, tracker.state]).toEqual(['session-123', 'Idle']);
    for (const state of ['ProcessingPrompt', 'StreamingResponse', 'ExecutingTool'] as const) {
      expect(tracker.transitionTo(state).ok).toBe(true);
    }
    const call = { tool: 'edit', file: 'main.go', command: '', error: '', success: true };
    expect(tracker.recordToolCall(call)).toEqual({ ok: true, state: 'ExecutingTool', error: null, call: 1 });
    expect(tracker.stuck()).toMatchObject({ stuck: false, reason: '' });
    expect(told).toEqual([
      'Idle → ProcessingPrompt',
      'ProcessingPrompt → StreamingResponse',
      'StreamingResponse → ExecutingTool',
    ]);
  });

  it('ends on request when it is stuck, and stays ended [NEX-61, NEX-62, RN-02]', () => {
    const { tracker } = createObservedTracker('nexora');
    for (const state of ['ProcessingPrompt', 'StreamingResponse', 'ExecutingTool'] as const)
      tracker.transitionTo(state);
    recordFailedEdits(tracker, 3);
    const { stuck, reason } = tracker.stuck();
    expect([stuck, reason.length > 0]).toEqual([true, true]);
    expect(tracker.transitionTo('Halted', reason)).toMatchObject({ ok: true, state: 'Halted' });
    expect(tracker.transitionTo('Idle')).toMatchObject({ ok: false, state: 'Halted' });
    expect(tracker.ending()).toMatchObject({ reason });
  });

  it('allows only the end after an aborted session [NEX-58]', () => {
    const signal = { aborted: false };
    const { tracker } = createObservedTracker('nexora', { signal });
    expect(tracker.transitionTo('ProcessingPrompt').ok).toBe(true);
    signal.aborted = true;
    const { ok, error } = tracker.transitionTo('StreamingResponse');
    expect([ok, error]).toEqual([false, 'the session was aborted, so StreamingResponse cannot follow']);
    expect(tracker.transitionTo('Halted').ok).toBe(true);
  });
});

describe('a refactoring in ten phases', () => {
  it('makes a thousand edits without raising anything [NEX-01..03, NEX-37, NEX-63..70, NEX-76, NEX-77, NEX-93, NEX-115, RN-14]', () => {
    const { tracker, clock, log: told } = createObservedTracker('nexora', { totalPhases: 10 });
    for (let phase = 1; phase <= 10; phase += 1) {
      expect(tracker.startPhase(phase, `package ${phase}`, 15 * 60_000).ok).toBe(true);
      for (let index = 0; index < 100; index += 1) {
        clock.at += 7_000;
        recordEdit(tracker, `pkg${phase}/file${index}.go`);
        expect(tracker.stuck()).toMatchObject({ stuck: false, severity: 'none' });
      }
      tracker.recordTest('go test ./...', true, 'PASS');
    }
    tracker.completePhase(true);
    expect(told.filter((line) => /stuck|warning/.test(line))).toEqual([]);
    expect(tracker.totalProgress()).toEqual({
      totalPhases: 10,
      completedPhases: 10,
      successfulPhases: 10,
      currentPhase: null,
      calls: 1_000,
      filesChanged: 1_000,
      testsPassed: 10,
    });
    expect(tracker.elapsedMs()).toBe(7_000_000);
    expect(tracker.phases().completed.every(({ filesChanged }) => filesChanged === 100)).toBe(true);
  });

  it('may take from 100 to 200 calls over 25 to 40 files in each [NEX-75]', () => {
    const { tracker, log: told } = createObservedTracker('nexora', { totalPhases: 4 });
    for (const [index, [calls, files]] of [
      [100, 25],
      [150, 35],
      [200, 40],
      [120, 30],
    ].entries()) {
      tracker.startPhase(index + 1);
      for (let call = 0; call < (calls ?? 0); call += 1)
        recordEdit(tracker, `p${index}/f${call % (files ?? 1)}.go`);
      tracker.recordTest('go test ./...', true);
    }
    expect(told.filter((line) => /stuck|warning/.test(line))).toEqual([]);
    expect(tracker.progress()).toMatchObject({ calls: 570, filesModified: 130 });
  });
});

describe('loops', () => {
  it('three edits of main.go that fail alike are one [NEX-78..80, NEX-94]', () => {
    const { tracker, log: told } = createObservedTracker('nexora');
    for (const stuck of [false, false, true]) {
      recordFailedEdits(tracker, 1);
      expect(tracker.stuck().stuck).toBe(stuck);
    }
    expect(tracker.stuck().reason).toMatch(/main\.go .*same error 3 times/);
    expect(told).toEqual(['stuck: same_error']);
  });

  it('a change and its undoing in two files by turns are one [NEX-27, NEX-81..83]', () => {
    const { tracker, log: told } = createObservedTracker('nexora');
    for (const [file, contentHash] of [
      ['a.go', 'X'],
      ['b.go', 'Y'],
      ['a.go', 'X'],
      ['b.go', 'Y'],
    ] as const) {
      expect(tracker.stuck().stuck).toBe(false);
      recordEdit(tracker, file, { contentHash });
    }
    expect(tracker.stuck()).toMatchObject({ stuck: true, rule: 'oscillation' });
    expect(told).toEqual(['stuck: oscillation']);
  });

  it('errors resolved by another tool do not count, and the next phase starts without errors [NEX-05, NEX-84..86, NEX-117, RN-03]', () => {
    const { tracker } = createObservedTracker('nexora');
    tracker.startPhase(1);
    recordFailedEdits(tracker, 3);
    expect(tracker.stuck().stuck).toBe(true);
    tracker.recordToolCall({ tool: 'write', file: 'main.go', success: true });
    expect(tracker.stuck().stuck).toBe(false);
    recordFailedEdits(tracker, 2);
    tracker.startPhase(2);
    recordFailedEdits(tracker, 2);
    expect(tracker.stuck().stuck).toBe(false);
    expect(tracker.progress().consecutiveErrors).toBe(2);
  });
});

describe('a custom loop', () => {
  type Reply = { readonly calls: readonly string[]; readonly done: boolean };

  /** An agent loop of a library user, who only knows the tracker. */
  function run(tracker: LoopTracker<'nexora'>, replies: readonly Reply[], broken: readonly string[]): string {
    tracker.transitionTo('ProcessingPrompt');
    for (const { calls, done } of replies) {
      tracker.transitionTo('StreamingResponse');
      if (calls.length > 0) tracker.transitionTo('ExecutingTool');
      for (const file of calls) {
        tracker.recordToolCall({
          tool: 'edit',
          file,
          error: broken.includes(file) ? notFoundError : '',
          success: !broken.includes(file),
        });
        const { stuck, reason } = tracker.stuck();
        if (stuck) return `stuck: ${reason}`;
      }
      tracker.transitionTo('ProgressCheck');
      if (done) break;
    }
    tracker.transitionTo('Idle');
    return 'done';
  }

  const replies = [
    { calls: ['a.go', 'b.go'], done: false },
    { calls: ['c.go', 'c.go'], done: false },
    { calls: ['c.go'], done: false },
    { calls: [], done: true },
    { calls: ['never'], done: false },
  ];

  it('runs to its end and back to idle [NEX-07, NEX-12, NEX-100..103, NEX-105..107, RN-10]', () => {
    const { tracker } = createObservedTracker('nexora');
    expect(run(tracker, replies, [])).toBe('done');
    expect(tracker.state).toBe('Idle');
    const round = 'StreamingResponse ExecutingTool ProgressCheck';
    expect(
      tracker
        .history()
        .map(({ to }) => to)
        .join(' '),
    ).toBe(`ProcessingPrompt ${round} ${round} ${round} StreamingResponse ProgressCheck Idle`);
    expect(run(tracker, [{ calls: [], done: true }], [])).toBe('done');
  });

  it('ends with the reason when it is stuck [NEX-99, NEX-104]', () => {
    const reasons: string[] = [];
    const { tracker } = createObservedTracker('nexora', {
      onStuck: ({ reason }) => reasons.push(`session-123 ${reason}`),
    });
    const end = run(tracker, replies, ['c.go']);
    expect(end).toBe('stuck: c.go gave the same error 3 times in a row: old_string not found');
    expect(reasons).toEqual([`session-123 ${end.slice('stuck: '.length)}`]);
    expect(tracker.progress().calls).toBe(5);
  });

  it('can have one tracker per session, created on first use [NEX-97, NEX-98]', () => {
    const trackers = new Map<string, LoopTracker<'nexora'>>();
    const of = (sessionId: string): LoopTracker<'nexora'> => {
      const known = trackers.get(sessionId) ?? createTracker({ sessionId, preset: 'nexora', now: () => 0 });
      trackers.set(sessionId, known);
      return known;
    };
    recordFailedEdits(of('one'), 3);
    recordFailedEdits(of('two'), 2);
    expect([of('one').stuck().stuck, of('two').stuck().stuck]).toEqual([true, false]);
    expect(of('one')).toBe(trackers.get('one'));
  });
});
