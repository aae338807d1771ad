import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Rule } from '../../src/rules/rule.ts';
import { restoreTracker, type RecordedCall, type LoopTracker } from '../../src/tracker/loop-tracker.ts';
import { createLoggingCallbacks, createObservedTracker } from './observed-tracker.ts';

type PawlTracker = LoopTracker<'pawl'>;

const failingCall: RecordedCall = { tool: 'edit', file: 'main.go', error: 'old_string not found' };
const searchingCall: RecordedCall = { tool: 'find', args: { query: 'x' }, success: true, output: 'nothing' };

function repeatToolCall(tracker: PawlTracker, times: number, call: RecordedCall): void {
  for (let time = 0; time < times; time += 1) tracker.recordToolCall(call);
}

describe('the preset pawl in a custom loop', () => {
  it('warns of two identical errors and is stuck at three, once [NEX-116]', () => {
    const { tracker, log } = createObservedTracker('pawl');
    repeatToolCall(tracker, 2, failingCall);
    expect(tracker.stuck()).toMatchObject({ stuck: false, severity: 'advise', rule: 'repeated-failure' });
    expect(tracker.advice()).toContain('read the error');
    repeatToolCall(tracker, 1, failingCall);
    expect(tracker.stuck()).toMatchObject({ stuck: true, severity: 'block', evidence: [1, 2, 3] });
    repeatToolCall(tracker, 4, failingCall);
    expect(log).toEqual(['warning: repeated-failure', 'stuck: repeated-failure']);
  });

  it('clears a verdict with its condition, and raises it again when the condition returns', () => {
    const { tracker, log } = createObservedTracker('pawl');
    repeatToolCall(tracker, 3, failingCall);
    repeatToolCall(tracker, 1, { tool: 'write', file: 'main.go', success: true });
    expect(tracker.stuck()).toMatchObject({ stuck: false, severity: 'none', advice: '' });
    repeatToolCall(tracker, 3, failingCall);
    expect(log.filter((line) => line.startsWith('stuck'))).toHaveLength(2);
  });

  it('raises nothing in a thousand productive calls over ten phases, however they are reported', () => {
    const callFields = fc.constantFrom<Partial<RecordedCall>>(
      {},
      { output: 'unlike any other' },
      { contentHash: 'x' },
    );
    fc.assert(
      fc.property(callFields, (more) => {
        const { tracker, log: raised } = createObservedTracker('pawl', { totalPhases: 10 });
        for (let index = 0; index < 1_000; index += 1) {
          if (index % 100 === 0) tracker.startPhase(index / 100 + 1);
          const output = more.output === undefined ? undefined : `edited ${index}`;
          tracker.recordToolCall({ tool: 'edit', file: `${index}.go`, success: true, ...more, output });
        }
        expect(raised.filter((line) => !line.startsWith('progress'))).toEqual([]);
        expect(raised).toHaveLength(100);
        expect(tracker.totalProgress()).toMatchObject({ completedPhases: 9, filesChanged: 1_000 });
      }),
      { numRuns: 10 },
    );
  });

  it('clears errors with a phase, and keeps the recorded work', () => {
    const { tracker } = createObservedTracker('pawl');
    tracker.recordFileModification('a.go', '1');
    tracker.startPhase(1);
    repeatToolCall(tracker, 2, failingCall);
    tracker.startPhase(2);
    repeatToolCall(tracker, 2, failingCall);
    expect(tracker.stuck().stuck).toBe(false);
    expect(tracker.progress()).toMatchObject({ filesModified: 1, consecutiveErrors: 2, calls: 4 });
  });
});

describe('a success without output', () => {
  it('is a repeat if the same call is made again', () => {
    const { tracker } = createObservedTracker('pawl');
    repeatToolCall(tracker, 4, { tool: 'bash', command: 'make', success: true });
    expect(tracker.stuck()).toMatchObject({ stuck: true, rule: 'repeated-call' });
  });

  it('does not count against a call known only by its tool and file', () => {
    const { tracker, log } = createObservedTracker('pawl');
    repeatToolCall(tracker, 30, { tool: 'edit', file: 'main.go', success: true });
    expect(log.filter((line) => !line.startsWith('progress'))).toEqual([]);
    repeatToolCall(tracker, 4, { tool: 'read', file: 'main.go', success: true });
    expect(tracker.stuck()).toMatchObject({ stuck: true, rule: 'repeated-call' });
  });

  it('is progress after other calls, and with new content', () => {
    const { tracker, log } = createObservedTracker('pawl');
    for (let index = 0; index < 30; index += 1) {
      tracker.recordToolCall({ tool: 'bash', command: `make part-${index}`, success: true });
      const contentHash = `${index}`;
      tracker.recordToolCall({
        tool: 'write',
        args: { path: 'a' },
        success: true,
        output: 'ok',
        contentHash,
      });
    }
    expect(log.filter((line) => !line.startsWith('progress'))).toEqual([]);
  });

  it('differs from a known empty output', () => {
    const { tracker, log } = createObservedTracker('pawl');
    for (let index = 0; index < 13; index += 1) {
      tracker.recordToolCall({ tool: 'bash', command: `make ${index}`, success: true, output: '' });
    }
    expect(log).toContain('warning: no-progress');
  });
});

describe('progress', () => {
  it.each<[string, (tracker: PawlTracker) => void]>([
    ['a test that passes', (tracker) => tracker.recordTest('go test', true)],
    ['a milestone', (tracker) => tracker.recordMilestone('it compiles')],
    ['new content of a file', (tracker) => tracker.recordFileModification('a.go', '1')],
    ['a new phase', (tracker) => tracker.startPhase(1)],
  ])('%s clears the matches so far', (_, move) => {
    const { tracker } = createObservedTracker('pawl');
    repeatToolCall(tracker, 2, searchingCall);
    tracker.recordMessage('I will look again.');
    tracker.recordMessage('I will look again.');
    move(tracker);
    expect(tracker.stuck().severity).toBe('none');
    repeatToolCall(tracker, 2, searchingCall);
    expect(tracker.stuck().stuck).toBe(false);
  });

  it('is not a test that already passed, nor unchanged file content', () => {
    const { tracker } = createObservedTracker('pawl');
    tracker.recordTest('go test', true);
    tracker.recordFileModification('a.go', '1');
    repeatToolCall(tracker, 3, searchingCall);
    tracker.recordTest('go test', true);
    tracker.recordTest('go vet', false);
    tracker.recordFileModification('a.go', '1');
    repeatToolCall(tracker, 1, searchingCall);
    expect(tracker.stuck()).toMatchObject({ stuck: true, rule: 'repeated-call', evidence: [1, 2, 3, 4] });
  });

  it('is not a file that alternates between contents', () => {
    const { tracker } = createObservedTracker('pawl', { config: { rules: { 'round-and-round': false } } });
    for (let index = 0; index < 10; index += 1) tracker.recordFileModification('a.go', `${index % 2}`);
    expect(tracker.stuck()).toMatchObject({ stuck: true, rule: 'edit-and-revert' });
  });
});

describe('a reply', () => {
  it('is stuck if repeated three times without a call in between', () => {
    const { tracker, log } = createObservedTracker('pawl');
    const say = (): unknown => tracker.recordMessage('I will now fix the file.');
    say();
    say();
    tracker.recordToolCall({ tool: 'read', args: { path: 'a' }, success: true, output: 'text' });
    say();
    expect(tracker.stuck().severity).toBe('none');
    say();
    say();
    expect(tracker.stuck()).toMatchObject({ stuck: true, rule: 'repeated-text', evidence: [] });
    expect(log).toEqual(['warning: repeated-text', 'warning: repeated-text', 'stuck: repeated-text']);
  });

  it('does not clear matches of earlier calls', () => {
    const { tracker } = createObservedTracker('pawl');
    repeatToolCall(tracker, 3, failingCall);
    tracker.recordMessage('That should have worked.');
    expect(tracker.stuck().rule).toBe('repeated-failure');
  });

  it('may be a repetition loop', () => {
    const { tracker } = createObservedTracker('pawl');
    tracker.recordMessage('and so it goes on '.repeat(100));
    expect(tracker.stuck()).toMatchObject({ severity: 'advise', rule: 'repetition-loop' });
  });

  it('may be unreadable', () => {
    const { tracker } = createObservedTracker('pawl');
    for (let time = 0; time < 6; time += 1) tracker.recordFailedDecision('not JSON');
    expect(tracker.stuck()).toMatchObject({ stuck: true, rule: 'failed-decisions' });
  });
});

describe('waiting', () => {
  it('is limited by time and not by the number of polls', () => {
    const { tracker, clock } = createObservedTracker('pawl');
    const repeatLook = (): unknown =>
      tracker.recordToolCall({ tool: 'status', args: { job: 1 }, success: true, output: 'still running' });
    for (let time = 0; time < 50; time += 1) repeatLook();
    expect(tracker.stuck().severity).toBe('none');
    clock.at += 31 * 60_000;
    repeatLook();
    expect(tracker.stuck()).toMatchObject({ stuck: true, rule: 'waiting' });
  });
});

describe('a tracker with the preset pawl', () => {
  it('has one state, and reports it', () => {
    const { tracker } = createObservedTracker('pawl');
    expect([tracker.state, tracker.nextStates(), tracker.allowedActions()]).toEqual(['working', [], ['*']]);
    expect(tracker.transitionTo('working')).toMatchObject({ ok: false, state: 'working' });
    repeatToolCall(tracker, 3, failingCall);
    expect(tracker.summary()).toMatchObject({ stuck: true, lastTools: ['edit', 'edit', 'edit'] });
    expect(tracker.promptSection()).toContain('STUCK');
    expect(tracker.ending()).toBeNull();
  });

  it('continues from JSON, including running calls', () => {
    const { tracker } = createObservedTracker('pawl');
    repeatToolCall(tracker, 2, failingCall);
    const { call } = tracker.recordToolCall({ tool: 'edit', file: 'main.go' });
    const log: string[] = [];
    const copy: unknown = JSON.parse(JSON.stringify(tracker));
    const restored = restoreTracker(copy, { now: () => 1_000, ...createLoggingCallbacks(log) });
    restored.recordOutcome(call, { success: false, error: 'old_string not found' });
    expect(log).toEqual(['stuck: repeated-failure']);
  });

  it('accepts other thresholds, disabled rules and custom rules', () => {
    const rules = {
      'repeated-failure': { advise: null, block: null, stop: 6 },
      'no-progress': false,
    } as const;
    const patient = createObservedTracker('pawl', { config: { rules } }).tracker;
    repeatToolCall(patient, 5, failingCall);
    expect(patient.stuck().rule).toBe('error-streak');
    const blind = createObservedTracker('pawl', { config: { enable: false } }).tracker;
    repeatToolCall(blind, 9, failingCall);
    expect(blind.stuck().severity).toBe('none');
    const own: Rule = {
      id: 'no-shell',
      rationale: 'We do not use it here.',
      thresholds: { advise: null, block: null, stop: 1 },
      match: (window) => {
        const evidence = window.filter(({ tool }) => tool === 'bash');
        return {
          count: evidence.length,
          evidence,
          loop: 'shell',
          reason: 'bash was used',
          advice: 'Do not.',
        };
      },
    };
    const strict = createObservedTracker('pawl', {
      ownRules: [own],
      config: { rules: { 'no-shell': { stop: 2 } } },
    }).tracker;
    repeatToolCall(strict, 1, { tool: 'bash', command: 'a', success: true });
    expect(strict.stuck().stuck).toBe(false);
    repeatToolCall(strict, 1, { tool: 'bash', command: 'b', success: true });
    expect(strict.stuck()).toMatchObject({ stuck: true, rule: 'no-shell', evidence: [1, 2] });
  });

  it('does not grow with the work', () => {
    const { tracker } = createObservedTracker('pawl');
    const work = (): number => {
      for (let time = 0; time < 1_500; time += 1) {
        tracker.recordToolCall({
          tool: 'bash',
          command: `x${time}`,
          success: time % 3 > 0,
          output: 'y'.repeat(99),
        });
        tracker.recordMessage(`step ${time} `.repeat(40));
      }
      return JSON.stringify(tracker).length;
    };
    const before = work();
    expect(work()).toBeLessThan(before * 1.05);
  });
});
