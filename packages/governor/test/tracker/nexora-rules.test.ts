import { describe, expect, it } from 'vitest';
import { recordEdit, recordFailedEdits, createObservedTracker } from './observed-tracker.ts';

describe('the same error on the same target', () => {
  it('is a loop the third time and not before [NEX-04, NEX-26, NEX-80, NEX-110, NEX-116, RN-01]', () => {
    const { tracker } = createObservedTracker('nexora');
    recordFailedEdits(tracker, 2);
    expect(tracker.stuck()).toMatchObject({ stuck: false, severity: 'none', rule: null, evidence: [] });
    recordFailedEdits(tracker, 1);
    expect(tracker.stuck()).toMatchObject({ stuck: true, rule: 'same_error', evidence: [1, 2, 3] });
  });

  it('names the target and the count, and advises another approach [NEX-61, NEX-79]', () => {
    const { tracker } = createObservedTracker('nexora');
    recordFailedEdits(tracker, 3);
    expect(tracker.stuck().reason).toBe('main.go gave the same error 3 times in a row: old_string not found');
    expect(tracker.advice()).toContain('another tool');
  });

  it('is a loop at the configured threshold [NEX-110, RN-01]', () => {
    for (const threshold of [1, 2, 5, 10]) {
      const { tracker } = createObservedTracker('nexora', { config: { stuck_threshold: threshold } });
      recordFailedEdits(tracker, threshold - 1);
      expect(tracker.stuck().stuck).toBe(false);
      recordFailedEdits(tracker, 1);
      expect(tracker.stuck().stuck).toBe(true);
    }
  });

  it('takes five errors under the lenient preset [RN-01]', () => {
    const { tracker } = createObservedTracker('nexora-lenient');
    recordFailedEdits(tracker, 4);
    expect(tracker.stuck().stuck).toBe(false);
    recordFailedEdits(tracker, 1);
    expect(tracker.stuck().rule).toBe('same_error');
  });

  it('is interrupted by another error or another target [NEX-26, NEX-80]', () => {
    const { tracker } = createObservedTracker('nexora');
    recordFailedEdits(tracker, 2);
    recordFailedEdits(tracker, 1, 'main.go', 'permission denied');
    recordFailedEdits(tracker, 2);
    recordFailedEdits(tracker, 1, 'other.go');
    recordFailedEdits(tracker, 2);
    expect(tracker.stuck().stuck).toBe(false);
    expect(tracker.progress().consecutiveErrors).toBe(8);
  });

  it('ignores the time of day in the error', () => {
    const { tracker } = createObservedTracker('nexora');
    for (const second of [11, 12, 13])
      recordEdit(tracker, 'main.go', { error: `10:20:${second} lock is held` });
    expect(tracker.stuck().stuck).toBe(true);
  });

  it('counts an error without text [RN-12]', () => {
    const { tracker } = createObservedTracker('nexora');
    recordFailedEdits(tracker, 2, 'main.go', '');
    tracker.recordToolCall({ tool: 'edit', file: 'main.go', success: false });
    expect(tracker.stuck().reason).toContain('failed without a message');
    expect(tracker.progress()).toMatchObject({ recentFailures: 3, consecutiveErrors: 3 });
  });

  it('is about the command where there is no file, of which 50 characters count, and else about the tool [RN-13]', () => {
    const long = 'x'.repeat(50);
    for (const [calls, target] of [
      [[{ command: `${long}1` }, { command: `${long}2` }, { command: `${long}3` }], long],
      [[{ file: '', command: '' }, {}, {}], 'bash'],
    ] as const) {
      const { tracker } = createObservedTracker('nexora');
      for (const call of calls) tracker.recordToolCall({ tool: 'bash', ...call, error: 'exit 1' });
      expect(tracker.stuck()).toMatchObject({ rule: 'same_error' });
      expect(tracker.stuck().reason.startsWith(`${target} gave`)).toBe(true);
    }
  });

  it('is cleared by any success, and returns after three more errors [RN-03]', () => {
    const { tracker } = createObservedTracker('nexora');
    recordFailedEdits(tracker, 3);
    recordEdit(tracker, 'other.go');
    expect(tracker.stuck().stuck).toBe(false);
    expect(tracker.progress().consecutiveErrors).toBe(0);
    recordFailedEdits(tracker, 2);
    expect(tracker.stuck().stuck).toBe(false);
    recordFailedEdits(tracker, 1);
    expect(tracker.stuck()).toMatchObject({ stuck: true, evidence: [5, 6, 7] });
  });
});

const alternateFileEdits = (files: readonly string[], hashes: readonly string[] = []) => {
  const { tracker, log: told } = createObservedTracker('nexora');
  for (const [index, file] of files.entries()) {
    const contentHash = hashes[index];
    recordEdit(tracker, file, contentHash === undefined ? {} : { contentHash });
  }
  return { tracker, told };
};

describe('oscillation', () => {
  it('is back and forth between two files in the last four changes [NEX-27, NEX-83, NEX-91, NEX-111, RN-07]', () => {
    expect(alternateFileEdits(['a.go', 'b.go', 'a.go']).tracker.stuck().stuck).toBe(false);
    const report = alternateFileEdits(['c.go', 'a.go', 'b.go', 'a.go', 'b.go']).tracker.stuck();
    expect(report).toMatchObject({ stuck: true, rule: 'oscillation', evidence: [2, 3, 4, 5] });
  });

  it('names both files [NEX-82]', () => {
    const { reason } = alternateFileEdits(['a.go', 'b.go', 'a.go', 'b.go']).tracker.stuck();
    expect(reason).toBe('oscillating between a.go and b.go over the last 4 changes');
  });

  it.each([
    ['one file', ['a', 'a', 'a', 'a']],
    ['three files', ['a', 'b', 'c', 'b']],
    ['another order', ['a', 'b', 'b', 'a']],
  ])('is not found over %s', (_, files) => {
    expect(alternateFileEdits(files).tracker.stuck().stuck).toBe(false);
  });

  it('is one condition, however long it continues', () => {
    expect(alternateFileEdits(['a', 'b', 'a', 'b', 'a', 'b', 'a']).told).toEqual(['stuck: oscillation']);
  });

  it('needs repeated content, if all contents are known [NEX-30, RN-07]', () => {
    const files = ['a', 'b', 'a', 'b'];
    expect(alternateFileEdits(files, ['1', '2', '3', '4']).tracker.stuck().stuck).toBe(false);
    expect(alternateFileEdits(files, ['1', '2', '3', '2']).tracker.stuck().stuck).toBe(true);
    expect(alternateFileEdits(files, ['1', '2', '3']).tracker.stuck().stuck).toBe(true);
    // Two files that happen to hold the same have not come back to anything.
    expect(alternateFileEdits(files, ['1', '1', '2', '2']).tracker.stuck().stuck).toBe(false);
  });

  it('ignores failures that alternate with new content, but not failures alone [RN-07]', () => {
    const { tracker } = createObservedTracker('nexora');
    for (const contentHash of ['1', '2', '3']) {
      recordFailedEdits(tracker, 1, 'a.go');
      recordEdit(tracker, 'b.go', { contentHash });
    }
    expect(tracker.stuck().stuck).toBe(false);
    for (const file of ['a.go', 'b.go', 'a.go', 'b.go'])
      recordFailedEdits(tracker, 1, file, `no such line in ${file}`);
    expect(tracker.stuck().rule).toBe('oscillation');
  });

  it('counts only tools that change files [RN-07]', () => {
    const { tracker } = createObservedTracker('nexora');
    const call = (tool: string, file: string) => tracker.recordToolCall({ tool, file, success: true });
    for (const tool of ['view', 'grep', 'ls']) for (const file of ['a', 'b', 'a', 'b']) call(tool, file);
    call('edit', 'a');
    call('edit', 'b');
    expect(tracker.stuck().stuck).toBe(false);
    call('edit', 'a');
    call('view', 'c');
    call('edit', 'b');
    expect(tracker.stuck().rule).toBe('oscillation');
  });

  it('needs the configured number of changes [NEX-111]', () => {
    const { tracker } = createObservedTracker('nexora', { config: { oscillation_window: 6 } });
    for (const file of ['a', 'b', 'a', 'b', 'a']) recordEdit(tracker, file);
    expect(tracker.stuck().stuck).toBe(false);
    recordEdit(tracker, 'b');
    expect(tracker.stuck().stuck).toBe(true);
  });
});

const viewRepeatedly = (times: number, preset: 'nexora' | 'nexora-lenient' = 'nexora') => {
  const { tracker, log: told } = createObservedTracker(preset);
  for (let time = 0; time < times; time += 1) {
    tracker.recordToolCall({ tool: 'view', file: 'a.go', success: true });
  }
  return { tracker, told };
};

describe('a lack of progress', () => {
  it('is found after ten actions, and is a warning that stops nothing [NEX-28, NEX-112, RN-04..06]', () => {
    expect(viewRepeatedly(9).tracker.stuck().severity).toBe('none');
    const { tracker, told } = viewRepeatedly(10);
    expect(tracker.stuck()).toMatchObject({ stuck: false, severity: 'advise', rule: 'no_progress' });
    expect(told).toEqual(['warning: no_progress', 'progress: 10']);
  });

  it('is found after fifteen under the lenient preset [RN-01]', () => {
    expect(viewRepeatedly(14, 'nexora-lenient').told).toEqual(['progress: 10']);
    expect(viewRepeatedly(15, 'nexora-lenient').told).toEqual(['progress: 10', 'warning: no_progress']);
  });

  it.each([
    ['two changes', ['edit a', 'edit a']],
    ['successes on three targets', ['view b', 'view c', 'view d']],
    ['two tools that succeed', ['view a', 'grep a']],
  ])('is not found with %s [NEX-06, NEX-25, NEX-118, RN-05]', (_, calls) => {
    const { tracker } = createObservedTracker('nexora');
    for (const [tool = '', file = ''] of calls.map((call) => call.split(' '))) {
      tracker.recordToolCall({ tool, file, success: true });
    }
    for (let time = calls.length; time < 10; time += 1)
      recordFailedEdits(tracker, 1, 'x', `error ${'z'.repeat(time)}`);
    expect(tracker.stuck().severity).toBe('none');
  });

  it('is found with one change, two targets and one tool [RN-05]', () => {
    const { tracker } = createObservedTracker('nexora');
    recordEdit(tracker, 'a');
    for (let time = 1; time < 10; time += 1) recordFailedEdits(tracker, 1, 'x', `error ${'z'.repeat(time)}`);
    expect(tracker.stuck().rule).toBe('no_progress');
  });

  it('is not found when a file gets new content, a test begins to pass or a milestone is reached [NEX-29, NEX-30, NEX-32, RN-05]', () => {
    type Loop = ReturnType<typeof viewRepeatedly>;
    for (const moves of [
      ({ tracker }: Loop) => tracker.recordFileModification('a.go', 'hash'),
      ({ tracker }: Loop) => tracker.recordTest('go test', true),
      ({ tracker }: Loop) => tracker.recordMilestone('it compiles'),
      ({ tracker }: Loop) => recordEdit(tracker, 'a.go', { contentHash: 'hash' }),
    ]) {
      const loop = viewRepeatedly(5);
      moves(loop);
      for (let time = 0; time < 5; time += 1)
        loop.tracker.recordToolCall({ tool: 'view', file: 'a.go', success: true });
      expect(loop.tracker.stuck().severity).toBe('none');
    }
  });

  it('treats new content as progress within the last ten actions or after one [NEX-30, RN-05]', () => {
    const { tracker, log: told } = createObservedTracker('nexora', {
      config: { progress_check_interval: 1 },
    });
    let tries = 0;
    const tryInVain = (times: number) => {
      for (let time = 0; time < times; time += 1)
        recordFailedEdits(tracker, 1, 'x', 'no'.repeat((tries += 1)));
    };
    tracker.recordFileModification('a.go', '1');
    tryInVain(9);
    expect(told).toEqual([]);
    tryInVain(1);
    expect(told).toEqual(['warning: no_progress', 'progress: 10']);
    recordEdit(tracker, 'a.go', { contentHash: '2' });
    tryInVain(9);
    expect(tracker.stuck().severity).toBe('none');
    tryInVain(1);
    expect(tracker.stuck().severity).toBe('advise');
    recordEdit(tracker, 'a.go', { contentHash: '2' });
    expect(tracker.stuck().severity).toBe('advise');
  });

  it('is found in reads alone, also with known contents', () => {
    const { tracker } = createObservedTracker('nexora');
    for (let time = 0; time < 10; time += 1) {
      tracker.recordToolCall({ tool: 'view', file: 'a.go', contentHash: '1', success: true });
    }
    expect(tracker.stuck().rule).toBe('no_progress');
  });

  it('is found although old content is written, a passing test passes or a test fails [NEX-29, RN-05]', () => {
    const { tracker } = createObservedTracker('nexora');
    tracker.recordFileModification('a.go', 'hash');
    tracker.recordTest('go test', true);
    for (let time = 0; time < 20; time += 1) {
      tracker.recordFileModification('a.go', 'hash');
      tracker.recordTest('go test', true);
      tracker.recordTest('go vet', false);
      tracker.recordToolCall({ tool: 'view', file: 'a.go', success: true });
    }
    expect(tracker.stuck().rule).toBe('no_progress');
  });

  it('is checked at the configured interval, and ends with progress [NEX-112, RN-03, RN-04]', () => {
    const { tracker, log: told } = createObservedTracker('nexora', {
      config: { no_progress_window: 4, progress_check_interval: 6, progress_callback_interval: 100 },
    });
    const runCalls = (times: number) => {
      for (let time = 0; time < times; time += 1) tracker.recordToolCall({ tool: 'view', success: true });
    };
    runCalls(5);
    expect(told).toEqual([]);
    runCalls(1);
    expect(told).toEqual(['warning: no_progress']);
    tracker.recordMilestone('found it');
    expect(tracker.stuck().severity).toBe('none');
    runCalls(5);
    expect(told).toEqual(['warning: no_progress']);
    runCalls(1);
    expect(told).toEqual(['warning: no_progress', 'warning: no_progress']);
  });
});

const startAutoHaltTracker = (config: object = {}) => {
  const watch = createObservedTracker('nexora', { autoHalt: true, config });
  for (const state of ['ProcessingPrompt', 'StreamingResponse', 'ExecutingTool'] as const) {
    watch.tracker.transitionTo(state);
  }
  return watch;
};

describe('recovery and halting', () => {
  it('only reports by default [RN-16]', () => {
    const { tracker, log: told } = createObservedTracker('nexora');
    recordFailedEdits(tracker, 9);
    expect(tracker.state).toBe('Idle');
    expect(told).toEqual(['stuck: same_error']);
  });

  it('enters recovery on an error verdict, tries up to the limit, then halts [NEX-04, NEX-13, RN-02, RN-16]', () => {
    const { tracker } = startAutoHaltTracker();
    recordFailedEdits(tracker, 3);
    expect(tracker.state).toBe('ErrorRecovery');
    recordFailedEdits(tracker, 2);
    expect(tracker.state).toBe('ErrorRecovery');
    recordFailedEdits(tracker, 1);
    expect(tracker.state).toBe('Halted');
    expect(tracker.history().at(-1)).toMatchObject({
      from: 'ErrorRecovery',
      to: 'Halted',
      cause: 'same_error',
    });
    expect(tracker.ending()).toMatchObject({ reason: 'same_error' });
  });

  it('resets the recovery count after a successful recovery [RN-02, RN-03]', () => {
    const { tracker } = startAutoHaltTracker();
    recordFailedEdits(tracker, 5);
    recordEdit(tracker, 'main.go');
    tracker.transitionTo('ExecutingTool');
    recordFailedEdits(tracker, 5);
    expect(tracker.state).toBe('ErrorRecovery');
  });

  it('halts at the third error without a recovery [NEX-02, NEX-94, RN-16]', () => {
    const { tracker } = startAutoHaltTracker({ recovery_attempts: 0 });
    recordFailedEdits(tracker, 2);
    expect(tracker.state).toBe('ExecutingTool');
    recordFailedEdits(tracker, 1);
    expect(tracker.state).toBe('Halted');
  });

  it('halts on oscillation, unless a recovery exists [RN-02]', () => {
    for (const [config, end] of [
      [{}, 'Halted'],
      [{ recoverableRules: ['oscillation'] }, 'ErrorRecovery'],
    ] as const) {
      const { tracker } = startAutoHaltTracker(config);
      for (const file of ['a', 'b', 'a', 'b']) recordEdit(tracker, file);
      expect(tracker.state).toBe(end);
    }
  });

  it('never halts for a lack of progress [RN-06]', () => {
    const { tracker } = startAutoHaltTracker({ recovery_attempts: 0 });
    for (let time = 0; time < 50; time += 1) tracker.recordToolCall({ tool: 'view', success: true });
    expect(tracker.stuck().severity).toBe('advise');
    expect(tracker.state).toBe('ExecutingTool');
  });

  it('halts from a state that recovery cannot follow when no attempts are left', () => {
    const { tracker } = createObservedTracker('nexora', { autoHalt: true });
    recordFailedEdits(tracker, 5);
    expect(tracker.state).toBe('Idle');
    recordFailedEdits(tracker, 1);
    expect(tracker.state).toBe('Halted');
  });
});
