import { describe, expect, it } from 'vitest';
import { recordSearch, createObservedTracker } from './observed-tracker.ts';

const readFileWithTracker = (
  tracker: ReturnType<typeof createObservedTracker<'savant'>>['tracker'],
  file: string,
  success = true,
) => tracker.recordToolCall({ tool: 'read_file', args: { file }, file, success });

describe('one tool again and again', () => {
  it('is a loop the third time in a row, whatever its arguments [SAV-08, SAV-88, SAV-134, RS-01]', () => {
    const { tracker } = createObservedTracker('savant');
    for (const query of ['a', 'b']) recordSearch(tracker, query);
    expect(tracker.stuck().stuck).toBe(false);
    recordSearch(tracker, 'c');
    expect(tracker.stuck()).toMatchObject({ stuck: true, rule: 'repeated_tool', evidence: [1, 2, 3] });
    expect(tracker.state).toBe('STUCK_SEARCH');
  });

  it('is interrupted by another tool', () => {
    const { tracker } = createObservedTracker('savant');
    for (const tool of ['read', 'read', 'list', 'read', 'read', 'list'])
      tracker.recordToolCall({ tool, success: true });
    expect(tracker.stuck().stuck).toBe(false);
  });

  it('is a loop in deciding too [SAV-111]', () => {
    const { tracker } = createObservedTracker('savant');
    for (const file of ['a', 'b', 'c']) readFileWithTracker(tracker, file);
    expect(tracker.state).toBe('STUCK_DECIDE');
  });

  it('can require the same arguments [RS-01]', () => {
    const { tracker } = createObservedTracker('savant', { config: { matchArguments: true } });
    for (const file of ['a', 'b', 'c', 'c']) readFileWithTracker(tracker, file);
    expect(tracker.stuck().stuck).toBe(false);
    readFileWithTracker(tracker, 'c');
    expect(tracker.stuck()).toMatchObject({ rule: 'repeated_tool', evidence: [3, 4, 5] });
  });
});

describe('one query again', () => {
  it('is a loop the second time in a row [SAV-11, SAV-58, RS-01]', () => {
    const { tracker } = createObservedTracker('savant');
    recordSearch(tracker, 'x');
    expect(tracker.stuck().stuck).toBe(false);
    recordSearch(tracker, ' x ');
    expect(tracker.stuck()).toMatchObject({ stuck: true, rule: 'repeated_query', evidence: [1, 2] });
  });

  it('is ignored if it is empty or unknown [RS-01]', () => {
    const { tracker } = createObservedTracker('savant', { config: { repeatedTool: 20 } });
    for (const query of ['', ' ', '']) recordSearch(tracker, query);
    for (const args of [undefined, null, { query: 5 }, [], {}]) {
      tracker.recordToolCall({ tool: 'context.fts_search', args });
    }
    expect(tracker.stuck().stuck).toBe(false);
  });

  it('is interrupted by another query, and by nothing else [SAV-59, RS-01]', () => {
    const { tracker } = createObservedTracker('savant');
    recordSearch(tracker, 'a');
    recordSearch(tracker, 'b');
    tracker.recordMessage('Not it.');
    readFileWithTracker(tracker, 'f');
    recordSearch(tracker, 'a');
    expect(tracker.stuck().stuck).toBe(false);
    tracker.recordMessage('Hm.');
    readFileWithTracker(tracker, 'f');
    recordSearch(tracker, 'a');
    expect(tracker.stuck()).toMatchObject({ rule: 'repeated_query' });
  });

  it('is taken from the query itself, or from arguments that are text', () => {
    const { tracker } = createObservedTracker('savant');
    tracker.recordToolCall({ tool: 'context.memory_search', query: 'x' });
    tracker.recordToolCall({ tool: 'context.fts_search', args: 'x' });
    expect(tracker.stuck().rule).toBe('repeated_query');
  });
});

describe('steps in one state', () => {
  it('are too many at five, and any move starts the count again [SAV-09, SAV-16, SAV-70, SAV-113, RS-16]', () => {
    const { tracker } = createObservedTracker('savant');
    recordSearch(tracker, 'x');
    for (let step = 1; step <= 4; step += 1) expect(tracker.tick().stuck).toBe(false);
    tracker.recordMessage('Found something.');
    for (let step = 1; step <= 4; step += 1) expect(tracker.tick().stuck).toBe(false);
    expect(tracker.tick()).toMatchObject({ stuck: true, rule: 'steps_in_state' });
    expect(tracker.state).toBe('STUCK_ANALYZE');
    expect(tracker.summary()).toMatchObject({ stepCount: 9, stateStepCount: 0 });
  });

  it('count in every state but the last [SAV-84, RS-07, RS-09]', () => {
    const { tracker } = createObservedTracker('savant');
    for (let step = 1; step <= 5; step += 1) tracker.tick();
    expect([tracker.state, tracker.stuck().rule]).toEqual(['INIT', 'steps_in_state']);
    tracker.tick();
    expect([tracker.state, tracker.ending()?.reason]).toEqual(['FINISHING', 'stuck_detection']);
    for (let step = 1; step <= 9; step += 1) expect(tracker.tick().stuck).toBe(false);
  });

  it('in the initial state are cleared when the work starts', () => {
    const { tracker } = createObservedTracker('savant');
    for (let step = 1; step <= 5; step += 1) tracker.tick();
    recordSearch(tracker, 'x');
    expect(tracker.tick().stuck).toBe(false);
    expect(tracker.state).toBe('SEARCHING');
  });
});

describe('failed decisions', () => {
  it('are three in a row: unreadable replies, unknown tools, failed tools [SAV-95, RS-06]', () => {
    const { tracker } = createObservedTracker('savant');
    tracker.transitionTo('DECIDING');
    tracker.recordFailedDecision('not JSON');
    tracker.recordToolCall({ tool: 'no_such_tool', error: 'there is no such tool' });
    expect(tracker.stuck().stuck).toBe(false);
    readFileWithTracker(tracker, 'a', false);
    expect(tracker.stuck()).toMatchObject({ stuck: true, rule: 'failed_decisions' });
    expect(tracker.state).toBe('STUCK_DECIDE');
  });

  it('start again with a success, and are only counted while deciding [RS-06]', () => {
    const { tracker } = createObservedTracker('savant', { config: { repeatedTool: 20 } });
    tracker.transitionTo('DECIDING');
    for (const success of [false, false, true, false, false]) readFileWithTracker(tracker, 'a', success);
    expect(tracker.stuck().stuck).toBe(false);
    const other = createObservedTracker('savant').tracker;
    for (let time = 0; time < 5; time += 1) other.recordFailedDecision('not JSON');
    expect(other.stuck().stuck).toBe(false);
  });

  it('are known once the call has ended [SAV-18, SAV-117, RS-14]', () => {
    const { tracker } = createObservedTracker('savant', { config: { failedDecisions: 1 } });
    const { call } = readFileWithTracker(tracker, 'a', true);
    expect(call).toBe(1);
    const second = tracker.recordToolCall({ tool: 'write_file', args: { file: 'a' } });
    expect(tracker.stuck().stuck).toBe(false);
    tracker.recordOutcome(second.call, { success: false, error: 'disk full' });
    expect(tracker.stuck().rule).toBe('failed_decisions');
  });
});

describe('a verdict', () => {
  it('leads through the stuck state to the end [SAV-20, SAV-47, SAV-61, SAV-126, SAV-139, RS-03]', () => {
    const { tracker } = createObservedTracker('savant');
    recordSearch(tracker, 'x');
    recordSearch(tracker, 'x');
    expect([tracker.state, tracker.stuck().stuck]).toEqual(['STUCK_SEARCH', true]);
    tracker.tick();
    expect([tracker.state, tracker.stuck().stuck]).toEqual(['FINISHING', false]);
    expect(tracker.ending()?.reason).toBe('stuck_detection');
  });

  it('is also the reason if the agent finishes itself from a stuck state [SAV-139]', () => {
    const { tracker } = createObservedTracker('savant');
    recordSearch(tracker, 'x');
    recordSearch(tracker, 'x');
    tracker.recordToolCall({ tool: 'finish' });
    expect([tracker.state, tracker.ending()?.reason]).toEqual(['FINISHING', 'stuck_detection']);
  });

  it('is not the reason without a problem', () => {
    const { tracker } = createObservedTracker('savant');
    recordSearch(tracker, 'x');
    tracker.recordMessage('Found.');
    tracker.recordToolCall({ tool: 'finish' });
    expect(tracker.ending()).toMatchObject({ reason: 'finished' });
    expect(tracker.history().at(-1)?.cause).toBe('finish');
  });

  it('limits the steps of an agent that does not stop [SAV-03, SAV-142]', () => {
    const { tracker } = createObservedTracker('savant');
    let steps = 0;
    while (tracker.state !== 'FINISHING' && steps < 100) {
      tracker.tick();
      recordSearch(tracker, `query ${steps}`);
      steps += 1;
    }
    expect(steps).toBe(4);
  });

  it('is cleared with its phase [RX-11]', () => {
    const { tracker } = createObservedTracker('savant', { config: { policy: 'advise-once-then-force' } });
    recordSearch(tracker, 'x');
    recordSearch(tracker, 'x');
    expect(tracker.stuck().stuck).toBe(true);
    tracker.startPhase(2);
    expect(tracker.stuck().stuck).toBe(false);
  });
});

const createAdvisedTracker = () => {
  const watch = createObservedTracker('savant', { config: { policy: 'advise-once-then-force' } });
  watch.tracker.tick();
  recordSearch(watch.tracker, 'x');
  watch.tracker.tick();
  recordSearch(watch.tracker, 'x');
  return watch;
};

describe('advice before force', () => {
  it('gives the agent one more step with the advice [SAV-115, RS-03]', () => {
    const { tracker, log: told } = createAdvisedTracker();
    expect([tracker.state, tracker.stuck().stuck]).toEqual(['SEARCHING', true]);
    tracker.tick();
    expect(tracker.promptSection()).toContain('Status: STUCK');
    expect(tracker.state).toBe('SEARCHING');
    recordSearch(tracker, 'x');
    expect(tracker.state).toBe('STUCK_SEARCH');
    expect(told.filter((line) => line.startsWith('stuck'))).toEqual(['stuck: repeated_query']);
  });

  it('forces the end at the next tick if the agent ignores it [RS-03]', () => {
    const { tracker } = createAdvisedTracker();
    tracker.tick();
    tracker.tick();
    expect(tracker.state).toBe('STUCK_SEARCH');
  });

  it('lets an agent that changes its approach continue, and does not advise twice [RS-03]', () => {
    const { tracker } = createAdvisedTracker();
    tracker.tick();
    tracker.recordMessage('Something else then.');
    tracker.recordToolCall({ tool: 'read_file', success: true });
    tracker.tick();
    expect([tracker.state, tracker.stuck().stuck]).toEqual(['DECIDING', false]);
    recordSearch(tracker, 'x');
    expect([tracker.state, tracker.stuck().rule]).toEqual(['STUCK_SEARCH', 'repeated_query']);
  });

  it('works for a loop that never ticks [RS-03]', () => {
    const { tracker } = createObservedTracker('savant', { config: { policy: 'advise-once-then-force' } });
    const search = () => tracker.recordToolCall({ tool: 'context.fts_search', query: 'x', success: true });
    search();
    search();
    expect([tracker.state, tracker.stuck().stuck]).toEqual(['SEARCHING', true]);
    search();
    expect(tracker.state).toBe('STUCK_SEARCH');
  });
});
