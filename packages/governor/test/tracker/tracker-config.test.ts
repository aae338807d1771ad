import { describe, expect, it } from 'vitest';
import { createTracker } from '../../src/tracker/loop-tracker.ts';
import { recordFailedEdits, recordSearch, createObservedTracker } from './observed-tracker.ts';

const deferTrackerCreation = (options: object) => () =>
  createTracker({ sessionId: 's', preset: 'nexora', now: () => 0, ...options });

describe('the configuration of the nexora presets', () => {
  it('has the documented defaults [NEX-108..114, RN-04]', () => {
    const { config } = deferTrackerCreation({})().toJSON().state.detector;
    expect(config).toEqual({
      enable: true,
      stuckThreshold: 3,
      oscillationWindow: 4,
      noProgressWindow: 10,
      progressCheckInterval: 10,
      progressCallbackInterval: 10,
      maxRecentActions: 20,
      maxRecentErrors: 10,
      readTools: ['view', 'ls', 'grep'],
      autoHalt: false,
      recoveryAttempts: 3,
      recoverableRules: ['same_error'],
    });
  });

  it('may be written either way [NEX-108]', () => {
    const snake = {
      enable: true,
      stuck_threshold: 4,
      oscillation_window: 6,
      no_progress_window: 12,
      progress_check_interval: 7,
      progress_callback_interval: 8,
      max_recent_actions: 30,
      max_recent_errors: 15,
    };
    const camel = {
      enable: true,
      stuckThreshold: 4,
      oscillationWindow: 6,
      noProgressWindow: 12,
      progressCheckInterval: 7,
      progressCallbackInterval: 8,
      maxRecentActions: 30,
      maxRecentErrors: 15,
    };
    const [one, other] = [snake, camel].map(
      (config) => deferTrackerCreation({ config })().toJSON().state.detector.config,
    );
    expect(one).toEqual(other);
    expect(one).toMatchObject(camel);
  });

  it('reports nothing when disabled, and still keeps the record [NEX-109]', () => {
    const { tracker, log: told } = createObservedTracker('nexora', { config: { enable: false } });
    recordFailedEdits(tracker, 9);
    expect(tracker.stuck().stuck).toBe(false);
    expect(told).toEqual([]);
    expect(tracker.progress()).toMatchObject({ calls: 9, consecutiveErrors: 9 });
  });

  it('can be made stricter than the lenient preset it starts from', () => {
    const { tracker } = createObservedTracker('nexora-lenient', { config: { stuckThreshold: 2 } });
    recordFailedEdits(tracker, 2);
    expect(tracker.stuck().stuck).toBe(true);
    expect(tracker.toJSON().state.detector.config).toMatchObject({ noProgressWindow: 15 });
  });

  it.each([
    [{ stuck_threshold: 'three' }, 'stuck_threshold expects a whole number from 1 to 10000, and got "three"'],
    [{ stuckThreshold: 0 }, 'stuckThreshold expects a whole number from 1'],
    [{ stuckThreshold: 2.5 }, 'and got 2.5'],
    [{ stuckThreshold: Number.NaN }, 'and got NaN'],
    [{ oscillation_window: 3 }, 'oscillation_window expects a whole number from 4'],
    [
      { progress_check_interval: null },
      'progress_check_interval expects a whole number from 1 to 10000, and got null',
    ],
    [{ enable: 'yes' }, 'enable expects true or false, and got "yes"'],
    [{ read_tools: 'view' }, 'read_tools expects a list of names'],
    [{ stuck_treshold: 3 }, 'there is no key stuck_treshold. The keys are enable, stuckThreshold'],
    [{ toString: 3 }, 'there is no key toString'],
    [{ stuck_threshold: 3, stuckThreshold: 3 }, 'give stuck_threshold or stuckThreshold, not both'],
    [{ stuck_threshold: 11 }, 'stuckThreshold is 11, so maxRecentErrors must be at least that, and is 10'],
    [{ no_progress_window: 21 }, 'noProgressWindow is 21, so maxRecentActions must be at least that'],
    [{ oscillation_window: 8, max_recent_actions: 6, no_progress_window: 5 }, 'oscillationWindow is 8'],
  ])('%j is rejected with one clear error', (config, message) => {
    expect(deferTrackerCreation({ config })).toThrow(message);
  });
});

describe('the configuration of the savant preset', () => {
  it('may be written either way', () => {
    for (const config of [{ search_tools: ['find'] }, { searchTools: ['find'] }]) {
      const { tracker } = createObservedTracker('savant', { config });
      tracker.recordToolCall({ tool: 'find', query: 'x' });
      expect(tracker.state).toBe('SEARCHING');
      expect(tracker.allowedActions()).toEqual(['find']);
    }
  });

  it('reports nothing when disabled', () => {
    const { tracker } = createObservedTracker('savant', { config: { enable: false } });
    for (let time = 0; time < 9; time += 1) recordSearch(tracker, 'x');
    expect(tracker.tick().stuck).toBe(false);
  });

  it.each([
    [{ policy: 'shout' }, 'policy expects one of force, advise-once-then-force, and got "shout"'],
    [{ repeatedTool: 1 }, 'repeatedTool expects a whole number from 2 to 20'],
    [{ timeouts_ms: { SEARCHING: 0 } }, 'timeouts_ms expects milliseconds by the name of the state'],
    [{ timeouts_ms: { LOOKING: 5 } }, 'and got {"LOOKING":5}'],
    [{ stuck_threshold: 3 }, 'there is no key stuck_threshold'],
  ])('%j is rejected with one clear error', (config, message) => {
    expect(deferTrackerCreation({ preset: 'savant', config })).toThrow(message);
  });
});

describe('a tracker', () => {
  it.each([
    [{ sessionId: '' }, 'needs a sessionId'],
    [{ now: 5 }, 'needs now'],
    [{ totalPhases: 0 }, 'totalPhases expects a whole number from 1 to 10000, and got 0'],
    [{ preset: 'loom' }, 'There is no preset loom. The presets are pawl, nexora, nexora-lenient, savant'],
    [{ preset: 'savant', autoHalt: true }, 'autoHalt is for the nexora presets'],
    [{ preset: 'pawl', autoHalt: true }, 'autoHalt is for the nexora presets'],
    [
      { preset: 'nexora', ownRules: [] },
      'ownRules are for the preset pawl; nexora has rules of another kind',
    ],
    [
      { preset: 'pawl', config: { stuck_threshold: 3 } },
      'no key stuck_threshold. The keys are enable, rules',
    ],
    [{ preset: 'pawl', config: { rules: { 'no-progres': false } } }, 'no rule no-progres. The rules are'],
    [
      { preset: 'pawl', config: { rules: { waiting: { advise: -1 } } } },
      'rules expects false or numbers for',
    ],
    [{ preset: 'pawl', config: { rules: { waiting: { pause: 3 } } } }, 'rules expects false or numbers for'],
    [{ preset: 'pawl', config: { rules: [] } }, 'rules expects false or numbers for'],
  ])('is not created from %j', (options, message) => {
    expect(deferTrackerCreation(options)).toThrow(message);
  });
});
