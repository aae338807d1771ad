import { describe, expect, it } from 'vitest';
import { createSession, type BudgetLimits, type Session, type SessionSettings } from '../../src/index.ts';
import { initialGovernor } from '../../src/session/session.ts';
import {
  failureOutcome,
  createCall,
  cancelRequested,
  modelFailed,
  toolFinished,
  verdictReached,
  contextOverflowed,
  pagingFinished,
  recoveryFinished,
  modelReplied,
  retryDue,
  userMessage,
  userSteered,
  successOutcome,
} from '../helpers/event-builders.ts';
import {
  requireAction,
  createProfileSession,
  runEvents,
  requireTurn,
  type EventRun,
} from '../helpers/run-events.ts';

const noLimits: BudgetLimits = { modelCalls: null, toolCalls: null, tokens: null, cost: null, wallMs: null };

const createPresetSession = (preset: 'nexora' | 'savant'): Session =>
  createSession({ id: 's', at: 0, settings: { governor: { preset, rules: {} } } });

const createUngovernedSession = (more: Partial<SessionSettings>): Session =>
  createSession({ id: 's', at: 0, settings: { governor: { preset: 'none', rules: {} }, ...more } });

/** The same call, failing the same way. */
function repeatFailedRead(from: Session | EventRun, times: number): EventRun {
  let run = runEvents(from);
  for (let time = 0; time < times; time += 1) {
    const id = `${run.session.seq}`;
    run = runEvents(
      run,
      modelReplied('', { id, tool: 'read', args: 'gone.txt' }),
      toolFinished(id, failureOutcome()),
    );
  }
  return run;
}

function listVerdictRules({ notes }: EventRun): readonly string[] {
  return notes.flatMap((note) => (note.type === 'verdict' ? [note.verdict.rule] : []));
}

describe('for the governor, steering', () => {
  const stuck = repeatFailedRead(runEvents(createProfileSession('pawl'), userMessage()), 2);

  it('resets the detector when the model is about to receive it', () => {
    const repeated = { id: 'x', tool: 'read', args: 'gone.txt' };
    const steered = runEvents(stuck, modelReplied('', repeated), userSteered('it has moved'));
    expect(steered.session.governor).toBe(runEvents(stuck, modelReplied('', repeated)).session.governor);
    expect(steered.session.governor.detector).not.toEqual(initialGovernor.detector);
    const delivered = runEvents(steered, toolFinished('x', failureOutcome()));
    expect(delivered.session.governor).toEqual(initialGovernor);
  });

  it('leaves work in progress to be judged as part of the old task', () => {
    const steered = runEvents(
      stuck,
      userSteered('it has moved'),
      modelReplied('', { id: 'x', tool: 'read', args: 'gone.txt' }),
    );
    const delivered = runEvents(steered, toolFinished('x', failureOutcome()));
    expect(listVerdictRules(delivered)).toEqual(['repeated-failure']);
    expect(requireAction(delivered, 'ask-model').advice).toContain('failed 3 times in a row');
    expect(listVerdictRules(repeatFailedRead(delivered, 1))).toEqual([]);
  });

  it('unblocks blocked calls', () => {
    const refused = repeatFailedRead(stuck, 1);
    expect(refused.session.governor.blockedCalls).toHaveLength(1);
    const delivered = runEvents(
      refused,
      modelReplied('', createCall('other')),
      userSteered('try again'),
      toolFinished('other'),
    );
    const attempt = runEvents(delivered, modelReplied('', { id: 'x', tool: 'read', args: 'gone.txt' }));
    expect(requireTurn(attempt, 'executingTools').executions).toMatchObject([{ status: 'pending' }]);
  });

  it('resets the recovery count', () => {
    const start = createProfileSession('pawl', { settings: { maxRecoveries: 1 } });
    const recovering = runEvents(
      start,
      userMessage(),
      modelReplied('', createCall('a')),
      verdictReached('recover'),
      toolFinished('a'),
    );
    expect(recovering.session.governor.recoveries).toBe(1);
    const delivered = runEvents(recovering, userSteered('like this'), recoveryFinished());
    expect(delivered.session.governor.recoveries).toBe(0);
    const repeated = runEvents(
      delivered,
      modelReplied('', createCall('b')),
      verdictReached('recover'),
      toolFinished('b'),
    );
    expect(requireTurn(repeated, 'errorRecovery')).toMatchObject({ origin: 'tool', attempt: 1 });
  });

  it('resets nothing when the work is canceled before the model receives it', () => {
    const steered = runEvents(stuck, userSteered('never mind'));
    expect(runEvents(steered, cancelRequested()).session.governor).toBe(stuck.session.governor);
  });

  it.each([
    ['a retry', modelFailed(), retryDue()],
    ['room was made', contextOverflowed(), pagingFinished()],
  ])('is delivered with the model call after %s', (_, failure, repeated) => {
    const steered = runEvents(stuck, failure, userSteered('it has moved'));
    expect(steered.session.governor.detector).not.toEqual(initialGovernor.detector);
    const delivered = runEvents(steered, repeated);
    expect(delivered.session.governor).toEqual(initialGovernor);
    expect(requireTurn(delivered, 'callingModel').retries).toBe(1);
  });
});

describe('for the trackers of other systems, steering', () => {
  it('starts another run with savant', () => {
    const working = repeatFailedRead(runEvents(createPresetSession('savant'), userMessage()), 1);
    const delivered = runEvents(
      working,
      modelReplied('', createCall('a', 'list')),
      userSteered('elsewhere'),
      toolFinished('a'),
    );
    const message = runEvents(createPresetSession('savant'), {
      ...userMessage('elsewhere'),
      at: delivered.at,
    });
    expect(delivered.session.governor.tracker).toEqual(message.session.governor.tracker);
  });

  it('resolves no error with nexora', () => {
    const working = runEvents(
      repeatFailedRead(runEvents(createPresetSession('nexora'), userMessage()), 1),
      modelReplied('', createCall('a')),
    );
    const delivered = runEvents(working, userSteered('elsewhere'), toolFinished('a'));
    const withoutSteering = runEvents(working, { ...toolFinished('a'), at: delivered.at });
    expect(delivered.session.turn.status).toBe('callingModel');
    expect(delivered.session.governor.tracker?.state).toEqual(
      withoutSteering.session.governor.tracker?.state,
    );
  });
});

describe('for the mode, steering', () => {
  it('restarts a terminal mode', () => {
    const start = createProfileSession('savant');
    const finished = runEvents(start, userMessage(), modelReplied('', createCall('a', 'finish')));
    expect(finished.session.mode?.state).toBe('FINISHING');
    const delivered = runEvents(
      finished,
      userSteered('and the other one?'),
      toolFinished('a', successOutcome('all', true)),
    );
    expect(delivered.session.turn.status).toBe('callingModel');
    expect(delivered.session.mode).toMatchObject({ state: 'INIT', enteredAt: delivered.at });
  });

  it('changes nothing in other modes', () => {
    const start = createProfileSession('savant');
    const working = runEvents(start, userMessage(), modelReplied('', createCall('a', 'context.fts_search')));
    const delivered = runEvents(working, userSteered('in the shed'), toolFinished('a'));
    expect(delivered.session.mode?.state).toBe('SEARCHING');
  });
});

describe('delivered steering', () => {
  it('counts toward the context window once it is delivered', () => {
    const working = runEvents(
      createUngovernedSession({ windowTokens: 100_000 }),
      userMessage(),
      modelReplied('', createCall('a')),
    );
    const steered = runEvents(working, userSteered('word '.repeat(100)));
    expect(steered.session.window).toEqual(working.session.window);
    const quiet = runEvents(working, toolFinished('a'));
    const delivered = runEvents(steered, toolFinished('a'));
    const message = runEvents(quiet, modelReplied(''), userMessage('word '.repeat(100)));
    expect(delivered.session.window).toEqual(message.session.window);
    expect(delivered.session.window?.tokens).toBeGreaterThan((quiet.session.window?.tokens ?? 0) + 50);
  });

  it('causes paging first if it does not fit', () => {
    const start = createUngovernedSession({ windowTokens: 200 });
    const delivered = runEvents(
      start,
      userMessage(),
      modelReplied('', createCall('a')),
      userSteered('word '.repeat(400)),
      toolFinished('a'),
    );
    expect(delivered.session.turn.status).toBe('paging');
    expect(runEvents(delivered, pagingFinished()).session.turn.status).toBe('callingModel');
  });

  it('restarts the work clock of the budget', () => {
    const start = createUngovernedSession({ budgets: { ...noLimits, wallMs: 60_000 } });
    const working = runEvents(start, userMessage(), modelReplied('', createCall('a')), {
      ...userSteered('go on'),
      at: 50_000,
    });
    expect(working.session.budgetUsage.workingSince).toBe(10);
    const delivered = runEvents(working, { ...toolFinished('a'), at: 55_000 });
    expect(delivered.session.budgetUsage.workingSince).toBe(55_000);
    const late = runEvents(delivered, modelReplied('', createCall('b')), {
      ...toolFinished('b'),
      at: 100_000,
    });
    expect(requireAction(late, 'ask-model').tools).toBe(true);
  });

  it('does not raise an exhausted budget: the last answer stays the last', () => {
    const start = createUngovernedSession({ budgets: { ...noLimits, toolCalls: 1 } });
    const last = runEvents(
      start,
      userMessage(),
      modelReplied('', createCall('a')),
      userSteered('go on'),
      toolFinished('a'),
    );
    expect(requireAction(last, 'ask-model').tools).toBe(false);
    expect(runEvents(last, modelReplied('all')).session.turn).toMatchObject({
      status: 'halted',
      haltReason: { kind: 'budget' },
    });
  });
});
