import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { replay, type Action, listPendingActions } from '../../src/index.ts';
import {
  createCall,
  toolFinished,
  pauseRequested,
  modelReplied,
  resumeRequested,
  retryDue,
  userMessage,
  toolStarted,
} from '../helpers/event-builders.ts';
import { pausableStateNames, getCurrentRequest, createSampleRun } from '../helpers/sample-runs.ts';
import {
  requireAction,
  listActionTypes,
  createProfileSession,
  runEvents,
  requireTurn,
} from '../helpers/run-events.ts';
import {
  listDurableEvents,
  createWalkArbitrary,
  replayWithoutEphemeral,
  type WalkStep,
} from '../helpers/random-walk.ts';

const idleAction: Action = { type: 'wait', until: null };

const isWorkAction = (action: Action): boolean =>
  [
    'ask-model',
    'ask-permission',
    'run-tools',
    'run-hooks',
    'page-memory',
    'recover',
    'stop',
    'shut-down',
  ].includes(action.type) ||
  (action.type === 'wait' && action.until !== null);

/** What is owed after a step, told only from what was owed before it and what the step asked for. */
function computeOwedAction(pendingAction: Action, { before, event, after }: WalkStep): Action {
  if (after.session === before) return pendingAction;
  const work = after.actions.find(isWorkAction);
  if (work !== undefined) return work;
  const isSameWork = before.turn.status === after.session.turn.status;
  if (!isSameWork) return idleAction;
  return pendingAction.type === 'run-tools' || pendingAction.type === 'ask-permission'
    ? removeAnsweredCall(pendingAction, event)
    : pendingAction;
}

function removeAnsweredCall(
  pendingAction: Extract<Action, { readonly type: 'run-tools' | 'ask-permission' }>,
  event: WalkStep['event'],
): Action {
  if (!('callId' in event)) return pendingAction;
  const calls = pendingAction.calls.filter(({ id }) => id !== event.callId);
  return calls.length === 0 ? idleAction : { ...pendingAction, calls };
}

describe('the request number', () => {
  it('is that of the event that started it, and stays while the work continues', () => {
    fc.assert(
      fc.property(createWalkArbitrary(), ({ steps }) => {
        for (const { before, after } of steps) {
          const atHand = getCurrentRequest({ session: before });
          for (const action of after.actions) {
            if (!('request' in action)) continue;
            const isNew = action.type === 'ask-model' || action.type === 'recover';
            const isResumed = before.turn.status === 'paused';
            const fine = isNew && !isResumed ? [after.session.seq] : [after.session.seq, atHand];
            expect({ action: action.type, fine: fine.includes(action.request) }).toEqual({
              action: action.type,
              fine: true,
            });
          }
        }
      }),
      { numRuns: 100 },
    );
  });

  it.each(['errorRecovery, model', 'errorRecovery, hooks', 'errorRecovery, paging'] as const)(
    'changes when work is restarted: %s',
    (name) => {
      const before = createSampleRun(createProfileSession('pawl'), name);
      const run = runEvents(before, retryDue());
      expect(getCurrentRequest(run)).toBe(run.session.seq);
    },
  );
});

describe('listPendingActions', () => {
  it('returns after a crash at any point the unfinished work, from the log alone', () => {
    fc.assert(
      fc.property(createWalkArbitrary().map(replayWithoutEphemeral), (walk) => {
        let pendingAction: Action = idleAction;
        for (const [index, walkStep] of walk.steps.entries()) {
          pendingAction = computeOwedAction(pendingAction, walkStep);
          const isPaused = walkStep.after.session.turn.status === 'paused';
          const log = listDurableEvents({ ...walk, steps: walk.steps.slice(0, index + 1) });
          const restored = replay(walk.start, log);
          expect(listPendingActions(restored)).toStrictEqual([isPaused ? idleAction : pendingAction]);
        }
      }),
      { numRuns: 60 },
    );
  });

  it.each(pausableStateNames)('returns in %s the actions of a resume', (name) => {
    const run = createSampleRun(createProfileSession('pawl'), name);
    expect(runEvents(run, pauseRequested(), resumeRequested()).actions).toStrictEqual(
      listPendingActions(run.session),
    );
  });

  it('omits started calls, and returns only a wait when all have started', () => {
    const run = runEvents(
      createProfileSession('pawl'),
      userMessage(),
      modelReplied('', createCall('a'), createCall('b'), createCall('c')),
    );
    const { request } = requireTurn(run, 'executingTools');
    expect(listPendingActions(run.session)).toEqual(run.actions);

    const partial = runEvents(run, toolStarted('a'), toolFinished('b'));
    const [action] = listPendingActions(partial.session);
    expect(action).toMatchObject({ type: 'run-tools', request, calls: [{ id: 'c' }] });

    const all = runEvents(partial, toolStarted('c'));
    expect(listPendingActions(all.session)).toEqual([idleAction]);
  });

  it('returns only a wait while paused, and a stop after the end', () => {
    const paused = createSampleRun(createProfileSession('pawl'), 'paused, callingModel, fresh');
    expect(listPendingActions(paused.session)).toEqual([idleAction]);
    const halted = createSampleRun(createProfileSession('pawl'), 'halted, on request');
    expect(listPendingActions(halted.session)).toEqual([requireAction(halted, 'stop')]);
    const shut = createSampleRun(createProfileSession('pawl'), 'shuttingDown');
    expect(listActionTypes({ actions: listPendingActions(shut.session) })).toEqual(['shut-down']);
  });
});
