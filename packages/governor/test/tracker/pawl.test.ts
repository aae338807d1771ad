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

describe('the preset pawl in a loop of somebody else', () => {
  it('warns of two identical errors and is stuck at three, once [NEX-116]', () => {
    const { tracker, told } = createObservedTracker('pawl');
    repeatToolCall(tracker, 2, failingCall);
    expect(tracker.stuck()).toMatchObject({ stuck: false, level: 'suspect', rule: 'repeated-failure' });
    expect(tracker.advice()).toContain('read the error');
    repeatToolCall(tracker, 1, failingCall);
    expect(tracker.stuck()).toMatchObject({ stuck: true, level: 'stuck', evidence: [1, 2, 3] });
    repeatToolCall(tracker, 4, failingCall);
    expect(told).toEqual(['warning: repeated-failure', 'stuck: repeated-failure']);
  });

  it('lets a verdict go with its condition, and raises it again when it comes back', () => {
    const { tracker, told } = createObservedTracker('pawl');
    repeatToolCall(tracker, 3, failingCall);
    repeatToolCall(tracker, 1, { tool: 'write', file: 'main.go', success: true });
    expect(tracker.stuck()).toMatchObject({ stuck: false, level: 'healthy', advice: '' });
    repeatToolCall(tracker, 3, failingCall);
    expect(told.filter((line) => line.startsWith('stuck'))).toHaveLength(2);
  });

  it('raises nothing in a thousand productive calls over ten phases, whatever is told of them', () => {
    const told = fc.constantFrom<Partial<RecordedCall>>(
      {},
      { output: 'unlike any other' },
      { contentHash: 'x' },
    );
    fc.assert(
      fc.property(told, (more) => {
        const { tracker, told: raised } = createObservedTracker('pawl', { totalPhases: 10 });
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

  it('forgets errors with a phase, and keeps what was done', () => {
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
  it('is a repeat when the very same call is made again', () => {
    const { tracker } = createObservedTracker('pawl');
    repeatToolCall(tracker, 4, { tool: 'bash', command: 'make', success: true });
    expect(tracker.stuck()).toMatchObject({ stuck: true, rule: 'repeated-call' });
  });

  it('is nothing to hold against a call that is known by its tool and its file alone', () => {
    const { tracker, told } = createObservedTracker('pawl');
    repeatToolCall(tracker, 30, { tool: 'edit', file: 'main.go', success: true });
    expect(told.filter((line) => !line.startsWith('progress'))).toEqual([]);
    repeatToolCall(tracker, 4, { tool: 'read', file: 'main.go', success: true });
    expect(tracker.stuck()).toMatchObject({ stuck: true, rule: 'repeated-call' });
  });

  it('is news when other calls are made, and when the content is new', () => {
    const { tracker, told } = createObservedTracker('pawl');
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
    expect(told.filter((line) => !line.startsWith('progress'))).toEqual([]);
  });

  it('differs from one that says nothing, which has been heard before', () => {
    const { tracker, told } = createObservedTracker('pawl');
    for (let index = 0; index < 13; index += 1) {
      tracker.recordToolCall({ tool: 'bash', command: `make ${index}`, success: true, output: '' });
    }
    expect(told).toContain('warning: no-progress');
  });
});

describe('what moves the work', () => {
  it.each<[string, (tracker: PawlTracker) => void]>([
    ['a test that passes', (tracker) => tracker.recordTest('go test', true)],
    ['a milestone', (tracker) => tracker.recordMilestone('it compiles')],
    ['new content of a file', (tracker) => tracker.recordFileModification('a.go', '1')],
    ['a new phase', (tracker) => tracker.startPhase(1)],
  ])('%s clears what is held against the work', (_, move) => {
    const { tracker } = createObservedTracker('pawl');
    repeatToolCall(tracker, 2, searchingCall);
    tracker.recordMessage('I will look again.');
    tracker.recordMessage('I will look again.');
    move(tracker);
    expect(tracker.stuck().level).toBe('healthy');
    repeatToolCall(tracker, 2, searchingCall);
    expect(tracker.stuck().stuck).toBe(false);
  });

  it('is not a test that passed before, nor content that a file holds already', () => {
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

  it('is not a file that goes back and forth', () => {
    const { tracker } = createObservedTracker('pawl', { config: { rules: { 'round-and-round': false } } });
    for (let index = 0; index < 10; index += 1) tracker.recordFileModification('a.go', `${index % 2}`);
    expect(tracker.stuck()).toMatchObject({ stuck: true, rule: 'edit-and-revert' });
  });
});

describe('what the model says', () => {
  it('is talk: the same three times over with nothing done is stuck, with a call in between it is not', () => {
    const { tracker, told } = createObservedTracker('pawl');
    const say = (): unknown => tracker.recordMessage('I will now fix the file.');
    say();
    say();
    tracker.recordToolCall({ tool: 'read', args: { path: 'a' }, success: true, output: 'text' });
    say();
    expect(tracker.stuck().level).toBe('healthy');
    say();
    say();
    expect(tracker.stuck()).toMatchObject({ stuck: true, rule: 'repeated-text', evidence: [] });
    expect(told).toEqual(['warning: repeated-text', 'warning: repeated-text', 'stuck: repeated-text']);
  });

  it('does not take back what its calls have shown', () => {
    const { tracker } = createObservedTracker('pawl');
    repeatToolCall(tracker, 3, failingCall);
    tracker.recordMessage('That should have worked.');
    expect(tracker.stuck().rule).toBe('repeated-failure');
  });

  it('may be a chant', () => {
    const { tracker } = createObservedTracker('pawl');
    tracker.recordMessage('and so it goes on '.repeat(100));
    expect(tracker.stuck()).toMatchObject({ level: 'suspect', rule: 'chanting' });
  });

  it('may be no decision at all', () => {
    const { tracker } = createObservedTracker('pawl');
    for (let time = 0; time < 6; time += 1) tracker.recordFailedDecision('not JSON');
    expect(tracker.stuck()).toMatchObject({ stuck: true, rule: 'failed-decisions' });
  });
});

describe('waiting', () => {
  it('is bounded by time and not by how often one looks', () => {
    const { tracker, clock } = createObservedTracker('pawl');
    const look = (): unknown =>
      tracker.recordToolCall({ tool: 'status', args: { job: 1 }, success: true, output: 'still running' });
    for (let time = 0; time < 50; time += 1) look();
    expect(tracker.stuck().level).toBe('healthy');
    clock.at += 31 * 60_000;
    look();
    expect(tracker.stuck()).toMatchObject({ stuck: true, rule: 'waiting' });
  });
});

describe('a tracker with the preset pawl', () => {
  it('has one state, and says so', () => {
    const { tracker } = createObservedTracker('pawl');
    expect([tracker.state, tracker.nextStates(), tracker.allowedActions()]).toEqual(['working', [], ['*']]);
    expect(tracker.transitionTo('working')).toMatchObject({ ok: false, state: 'working' });
    repeatToolCall(tracker, 3, failingCall);
    expect(tracker.summary()).toMatchObject({ stuck: true, lastTools: ['edit', 'edit', 'edit'] });
    expect(tracker.promptSection()).toContain('STUCK');
    expect(tracker.ending()).toBeNull();
  });

  it('goes on from JSON where it stopped, calls under way included', () => {
    const { tracker } = createObservedTracker('pawl');
    repeatToolCall(tracker, 2, failingCall);
    const { call } = tracker.recordToolCall({ tool: 'edit', file: 'main.go' });
    const told: string[] = [];
    const copy: unknown = JSON.parse(JSON.stringify(tracker));
    const restored = restoreTracker(copy, { now: () => 1_000, ...createLoggingCallbacks(told) });
    restored.recordOutcome(call, { success: false, error: 'old_string not found' });
    expect(told).toEqual(['stuck: repeated-failure']);
  });

  it('takes other thresholds, no rules, and rules of your own', () => {
    const rules = {
      'repeated-failure': { advise: null, refuse: null, finish: 6 },
      'no-progress': false,
    } as const;
    const patient = createObservedTracker('pawl', { config: { rules } }).tracker;
    repeatToolCall(patient, 5, failingCall);
    expect(patient.stuck().rule).toBe('error-streak');
    const blind = createObservedTracker('pawl', { config: { enable: false } }).tracker;
    repeatToolCall(blind, 9, failingCall);
    expect(blind.stuck().level).toBe('healthy');
    const own: Rule = {
      id: 'no-shell',
      rationale: 'We do not use it here.',
      thresholds: { advise: null, refuse: null, finish: 1 },
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
      config: { rules: { 'no-shell': { finish: 2 } } },
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
