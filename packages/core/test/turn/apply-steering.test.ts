import { describe, expect, it } from 'vitest';
import { createSession, type BudgetLimits, type Session, type SessionSettings } from '../../src/index.ts';
import { initialGovernor } from '../../src/session.ts';
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
  let told = runEvents(from);
  for (let time = 0; time < times; time += 1) {
    const id = `${told.session.seq}`;
    told = runEvents(
      told,
      modelReplied('', { id, tool: 'read', args: 'gone.txt' }),
      toolFinished(id, failureOutcome()),
    );
  }
  return told;
}

function listVerdictRules({ notes }: EventRun): readonly string[] {
  return notes.flatMap((note) => (note.type === 'verdict' ? [note.verdict.rule] : []));
}

describe('for the governor, steering', () => {
  const stuck = repeatFailedRead(runEvents(createProfileSession('pawl'), userMessage()), 2);

  it('resets the detector when the model is about to receive it', () => {
    const again = { id: 'x', tool: 'read', args: 'gone.txt' };
    const said = runEvents(stuck, modelReplied('', again), userSteered('it has moved'));
    expect(said.session.governor).toBe(runEvents(stuck, modelReplied('', again)).session.governor);
    expect(said.session.governor.watch).not.toEqual(initialGovernor.watch);
    const heard = runEvents(said, toolFinished('x', failureOutcome()));
    expect(heard.session.governor).toEqual(initialGovernor);
  });

  it('leaves work in progress to be judged as part of the old task', () => {
    const said = runEvents(
      stuck,
      userSteered('it has moved'),
      modelReplied('', { id: 'x', tool: 'read', args: 'gone.txt' }),
    );
    const heard = runEvents(said, toolFinished('x', failureOutcome()));
    expect(listVerdictRules(heard)).toEqual(['repeated-failure']);
    expect(requireAction(heard, 'ask-model').advice).toContain('failed 3 times in a row');
    expect(listVerdictRules(repeatFailedRead(heard, 1))).toEqual([]);
  });

  it('unblocks blocked calls', () => {
    const refused = repeatFailedRead(stuck, 1);
    expect(refused.session.governor.refused).toHaveLength(1);
    const heard = runEvents(
      refused,
      modelReplied('', createCall('other')),
      userSteered('try again'),
      toolFinished('other'),
    );
    const tries = runEvents(heard, modelReplied('', { id: 'x', tool: 'read', args: 'gone.txt' }));
    expect(requireTurn(tries, 'executingTools').executions).toMatchObject([{ status: 'pending' }]);
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
    const heard = runEvents(recovering, userSteered('like this'), recoveryFinished());
    expect(heard.session.governor.recoveries).toBe(0);
    const again = runEvents(
      heard,
      modelReplied('', createCall('b')),
      verdictReached('recover'),
      toolFinished('b'),
    );
    expect(requireTurn(again, 'errorRecovery')).toMatchObject({ origin: 'tool', attempt: 1 });
  });

  it('resets nothing when the work is canceled before the model receives it', () => {
    const said = runEvents(stuck, userSteered('never mind'));
    expect(runEvents(said, cancelRequested()).session.governor).toBe(stuck.session.governor);
  });

  it.each([
    ['a retry', modelFailed(), retryDue()],
    ['room was made', contextOverflowed(), pagingFinished()],
  ])('is delivered with the model call after %s', (_, trouble, again) => {
    const said = runEvents(stuck, trouble, userSteered('it has moved'));
    expect(said.session.governor.watch).not.toEqual(initialGovernor.watch);
    const heard = runEvents(said, again);
    expect(heard.session.governor).toEqual(initialGovernor);
    expect(requireTurn(heard, 'callingModel').retries).toBe(1);
  });
});

describe('for the trackers of other systems, steering', () => {
  it('starts another run with savant', () => {
    const working = repeatFailedRead(runEvents(createPresetSession('savant'), userMessage()), 1);
    const heard = runEvents(
      working,
      modelReplied('', createCall('a', 'list')),
      userSteered('elsewhere'),
      toolFinished('a'),
    );
    const message = runEvents(createPresetSession('savant'), { ...userMessage('elsewhere'), at: heard.at });
    expect(heard.session.governor.tracker).toEqual(message.session.governor.tracker);
  });

  it('resolves no error with nexora', () => {
    const working = runEvents(
      repeatFailedRead(runEvents(createPresetSession('nexora'), userMessage()), 1),
      modelReplied('', createCall('a')),
    );
    const heard = runEvents(working, userSteered('elsewhere'), toolFinished('a'));
    const unheard = runEvents(working, { ...toolFinished('a'), at: heard.at });
    expect(heard.session.turn.status).toBe('callingModel');
    expect(heard.session.governor.tracker?.state).toEqual(unheard.session.governor.tracker?.state);
  });
});

describe('for the mode, steering', () => {
  it('restarts a terminal mode', () => {
    const start = createProfileSession('savant');
    const over = runEvents(start, userMessage(), modelReplied('', createCall('a', 'finish')));
    expect(over.session.mode?.state).toBe('FINISHING');
    const heard = runEvents(
      over,
      userSteered('and the other one?'),
      toolFinished('a', successOutcome('all', true)),
    );
    expect(heard.session.turn.status).toBe('callingModel');
    expect(heard.session.mode).toMatchObject({ state: 'INIT', enteredAt: heard.at });
  });

  it('changes nothing in other modes', () => {
    const start = createProfileSession('savant');
    const working = runEvents(start, userMessage(), modelReplied('', createCall('a', 'context.fts_search')));
    const heard = runEvents(working, userSteered('in the shed'), toolFinished('a'));
    expect(heard.session.mode?.state).toBe('SEARCHING');
  });
});

describe('delivered steering', () => {
  it('counts toward the context window once it is delivered', () => {
    const working = runEvents(
      createUngovernedSession({ windowTokens: 100_000 }),
      userMessage(),
      modelReplied('', createCall('a')),
    );
    const said = runEvents(working, userSteered('word '.repeat(100)));
    expect(said.session.window).toEqual(working.session.window);
    const quiet = runEvents(working, toolFinished('a'));
    const heard = runEvents(said, toolFinished('a'));
    const message = runEvents(quiet, modelReplied(''), userMessage('word '.repeat(100)));
    expect(heard.session.window).toEqual(message.session.window);
    expect(heard.session.window?.tokens).toBeGreaterThan((quiet.session.window?.tokens ?? 0) + 50);
  });

  it('causes paging first if it does not fit', () => {
    const start = createUngovernedSession({ windowTokens: 200 });
    const heard = runEvents(
      start,
      userMessage(),
      modelReplied('', createCall('a')),
      userSteered('word '.repeat(400)),
      toolFinished('a'),
    );
    expect(heard.session.turn.status).toBe('paging');
    expect(runEvents(heard, pagingFinished()).session.turn.status).toBe('callingModel');
  });

  it('restarts the work clock of the budget', () => {
    const start = createUngovernedSession({ budgets: { ...noLimits, wallMs: 60_000 } });
    const working = runEvents(start, userMessage(), modelReplied('', createCall('a')), {
      ...userSteered('go on'),
      at: 50_000,
    });
    expect(working.session.spent.workingSince).toBe(10);
    const heard = runEvents(working, { ...toolFinished('a'), at: 55_000 });
    expect(heard.session.spent.workingSince).toBe(55_000);
    const late = runEvents(heard, modelReplied('', createCall('b')), { ...toolFinished('b'), at: 100_000 });
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
      why: { kind: 'budget' },
    });
  });
});
