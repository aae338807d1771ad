import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pendingActions, replay, type Action } from '../../src/index.ts';
import { call, finishes, pauses, replies, resumes, retryIsDue, says, starts } from '../helpers/happenings.ts';
import { heldNames, requestOf, sample } from '../helpers/samples.ts';
import { actionOf, actionTypes, sessionOf, tell, turnIn } from '../helpers/tell.ts';
import { logOf, walks, withoutEphemeral, type Stride } from '../helpers/walk.ts';

const idle: Action = { type: 'wait', until: null };

const isWork = (action: Action): boolean =>
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
function owedAfter(owed: Action, { before, event, after }: Stride): Action {
  if (after.session === before) return owed;
  const work = after.actions.find(isWork);
  if (work !== undefined) return work;
  const isSameWork = before.turn.status === after.session.turn.status;
  if (!isSameWork) return idle;
  return owed.type === 'run-tools' || owed.type === 'ask-permission' ? without(owed, event) : owed;
}

function without(
  owed: Extract<Action, { readonly type: 'run-tools' | 'ask-permission' }>,
  event: Stride['event'],
): Action {
  if (!('callId' in event)) return owed;
  const calls = owed.calls.filter(({ id }) => id !== event.callId);
  return calls.length === 0 ? idle : { ...owed, calls };
}

describe('the number of a request', () => {
  it('is that of the event that began it, and stays while the work goes on', () => {
    fc.assert(
      fc.property(walks(), ({ strides }) => {
        for (const { before, after } of strides) {
          const atHand = requestOf({ session: before });
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
    'is another when work is begun again: %s',
    (name) => {
      const before = sample(sessionOf('pawl'), name);
      const told = tell(before, retryIsDue());
      expect(requestOf(told)).toBe(told.session.seq);
    },
  );
});

describe('pendingActions', () => {
  it('after a crash at any point is what is still owed, told from the log alone', () => {
    fc.assert(
      fc.property(walks().map(withoutEphemeral), (walk) => {
        let owed: Action = idle;
        for (const [index, stride] of walk.strides.entries()) {
          owed = owedAfter(owed, stride);
          const isPaused = stride.after.session.turn.status === 'paused';
          const log = logOf({ ...walk, strides: walk.strides.slice(0, index + 1) });
          const restored = replay(walk.start, log);
          expect(pendingActions(restored)).toStrictEqual([isPaused ? idle : owed]);
        }
      }),
      { numRuns: 60 },
    );
  });

  it.each(heldNames)('in %s is what resuming asks for', (name) => {
    const told = sample(sessionOf('pawl'), name);
    expect(tell(told, pauses(), resumes()).actions).toStrictEqual(pendingActions(told.session));
  });

  it('leaves out calls that have begun, and asks for nothing when all have', () => {
    const told = tell(sessionOf('pawl'), says(), replies('', call('a'), call('b'), call('c')));
    const { request } = turnIn(told, 'executingTools');
    expect(pendingActions(told.session)).toEqual(told.actions);

    const some = tell(told, starts('a'), finishes('b'));
    const [action] = pendingActions(some.session);
    expect(action).toMatchObject({ type: 'run-tools', request, calls: [{ id: 'c' }] });

    const all = tell(some, starts('c'));
    expect(pendingActions(all.session)).toEqual([idle]);
  });

  it('asks for nothing while paused, and for the end after it', () => {
    const paused = sample(sessionOf('pawl'), 'paused, callingModel, fresh');
    expect(pendingActions(paused.session)).toEqual([idle]);
    const halted = sample(sessionOf('pawl'), 'halted');
    expect(pendingActions(halted.session)).toEqual([actionOf(halted, 'stop')]);
    const shut = sample(sessionOf('pawl'), 'shuttingDown');
    expect(actionTypes({ actions: pendingActions(shut.session) })).toEqual(['shut-down']);
  });
});
