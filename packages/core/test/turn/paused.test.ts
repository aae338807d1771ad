import { describe, expect, it } from 'vitest';
import { eventTypes, type EventType, type Held, type Session } from '../../src/index.ts';
import {
  allows,
  call,
  cancels,
  fails,
  finishes,
  halts,
  judged,
  oneOfEach,
  pauses,
  replies,
  resumes,
  retryIsDue,
  says,
  shutsDown,
  starts,
  writes,
} from '../helpers/happenings.ts';
import { heldNames, requestOf, sample } from '../helpers/samples.ts';
import { actionOf, actionTypes, path, refusal, sessionOf, tell, turnIn, type Told } from '../helpers/tell.ts';

const pawl = () => sessionOf('pawl');

/** Events that a paused session takes for itself; all others go to the state held. */
const own: readonly EventType[] = [
  'pause-requested',
  'resume-requested',
  'cancel-requested',
  'halt-requested',
  'shutdown-requested',
];

/** Numbers and times, which a pause shifts, are left out. */
const withoutNumbers = (turn: Session['turn']): unknown =>
  JSON.parse(
    JSON.stringify(turn, (key, value: unknown) =>
      /^(?:since|at|startedAt|request|retryAt)$/.test(key) ? 0 : value,
    ),
  );

const heldIn = (told: Told): Held => turnIn(told, 'paused').held;

describe('pausing', () => {
  it.each(heldNames)('keeps %s as it is and waits', (name) => {
    const before = sample(pawl(), name);
    const told = tell(before, pauses('disk is full'));
    expect(told.session.turn).toEqual({
      status: 'paused',
      since: told.at,
      reason: 'disk is full',
      held: before.session.turn,
    });
    expect(told.actions).toEqual([{ type: 'wait', until: null }]);
  });

  it('twice is refused, and the first reason stays', () => {
    const told = tell(sample(pawl(), 'callingModel, fresh'), pauses('first'), pauses('second'));
    expect(refusal(told)).toBe('the session is already paused');
    expect(turnIn(told, 'paused').reason).toBe('first');
  });
});

describe('while paused', () => {
  it.each(heldNames)('every event is taken as %s would take it, and no work is asked for', (name) => {
    const before = sample(pawl(), name);
    const paused = tell(before, pauses());
    for (const type of eventTypes.filter((each) => !own.includes(each))) {
      const live = tell(before, oneOfEach[type]);
      const told = tell(paused, oneOfEach[type]);
      expect([type, withoutNumbers(heldIn(told))]).toEqual([type, withoutNumbers(live.session.turn)]);
      expect([type, refusal(told)]).toEqual([type, refusal(live)]);
      const shown = actionTypes(live).filter((each) => each.startsWith('show-'));
      expect([type, actionTypes(told)]).toEqual([type, shown.length === 0 ? ['wait'] : shown]);
    }
  });

  it('a round of tools ends and hooks wait for permission to run', () => {
    const paused = tell(pawl(), says(), replies('', call('a', 'bash'), call('b')), pauses());
    const told = tell(paused, finishes('b'), finishes('a'));
    expect(heldIn(told).status).toBe('postToolsHook');
    expect(told.actions).toEqual([{ type: 'wait', until: null }]);
    expect(actionTypes(tell(told, resumes()))).toEqual(['run-hooks']);
  });

  it('a stuck verdict waits for permission to recover', () => {
    const paused = tell(pawl(), says(), replies('', call('a')), pauses());
    const told = tell(paused, judged('recover'), finishes('a'));
    expect(heldIn(told).status).toBe('errorRecovery');
    expect(actionOf(tell(told, resumes()), 'recover').attempt).toBe(1);
  });

  it('text still streams to the user', () => {
    const told = tell(pawl(), says(), pauses(), writes('more'));
    expect(told.actions).toEqual([{ type: 'show-text', text: 'more' }]);
    expect(heldIn(told)).toMatchObject({ status: 'callingModel', streaming: true });
  });

  it('giving up on the model is told at once', () => {
    const told = tell(pawl(), says(), pauses(), fails({ retryable: false }));
    expect(heldIn(told).status).toBe('waitingForUser');
    expect(actionTypes(told)).toEqual(['show-error']);
  });

  it('what is refused leaves the very session', () => {
    const paused = tell(pawl(), says(), pauses());
    expect(tell(paused, says('hello?')).session).toBe(paused.session);
  });

  it('the answer to a last call ends the session, and is told as the way out of the pause', () => {
    const last = tell(pawl(), says(), replies('', call('a')), judged('finish'), finishes('a'));
    const told = tell(last, pauses(), replies('in short'));
    expect(path(told)).toEqual(['paused', 'processingResponse', 'halted']);
    expect(told.notes).toMatchObject([
      { from: 'paused', to: 'processingResponse' },
      { from: 'processingResponse', to: 'halted' },
    ]);
    expect(actionTypes(told)).toEqual(['stop']);
  });

  it('a verdict that asks to halt halts', () => {
    const told = tell(pawl(), says(), pauses(), judged('halt'));
    expect(actionTypes(told)).toEqual(['abort', 'stop']);
    expect(turnIn(told, 'halted').why.kind).toBe('stuck');
  });
});

describe('resuming', () => {
  it.each(heldNames)('gives %s back, from that time on', (name) => {
    const before = sample(pawl(), name);
    const told = tell(before, pauses(), resumes());
    expect(told.session.turn).toEqual({ ...before.session.turn, since: told.at });
    expect(path(told)).toEqual(['paused', before.session.turn.status]);
  });

  it('asks only for the calls that have neither begun nor been decided', () => {
    const running = tell(pawl(), says(), replies('', call('a'), call('b'), call('c')), starts('a'), pauses());
    const told = tell(running, finishes('b'), resumes());
    expect(actionOf(told, 'run-tools').calls.map(({ id }) => id)).toEqual(['c']);

    const asking = tell(
      pawl(),
      says(),
      replies('', call('a', 'bash', 'ask'), call('b', 'bash', 'ask')),
      pauses(),
    );
    expect(
      actionOf(tell(asking, allows('b'), resumes()), 'ask-permission').calls.map(({ id }) => id),
    ).toEqual(['a']);
  });

  it('asks the model with the number of the request that is under way', () => {
    const asked = tell(pawl(), says());
    expect(actionOf(tell(asked, pauses(), resumes()), 'ask-model').request).toBe(requestOf(asked));
  });

  it('asks the model for a message that came meanwhile', () => {
    const told = tell(pawl(), pauses(), says('are you there?'));
    expect(told.actions).toEqual([{ type: 'wait', until: null }]);
    expect(actionTypes(tell(told, resumes()))).toEqual(['ask-model']);
  });

  it('goes on waiting for a retry, or asks at once when it fell due meanwhile', () => {
    const waiting = tell(pawl(), says(), fails(), pauses());
    const { retryAt } = turnIn(tell(pawl(), says(), fails()), 'errorRecovery') as {
      readonly retryAt: number;
    };
    expect(tell(waiting, resumes()).actions).toEqual([{ type: 'wait', until: retryAt }]);
    expect(actionOf(tell(waiting, retryIsDue(), resumes()), 'ask-model').attempt).toBe(2);
  });
});

describe('a pause ends', () => {
  it.each(heldNames)('with the work it holds when %s is cancelled, halted or shut down', (name) => {
    const paused = sample(pawl(), `paused, ${name}`);
    const abort = requestOf(paused) === 0 ? [] : ['abort'];
    expect(actionTypes(tell(paused, cancels()))).toEqual([...abort, 'wait']);
    expect(tell(paused, cancels()).session.turn.status).toBe('waitingForUser');
    expect(actionTypes(tell(paused, halts()))).toEqual([...abort, 'stop']);
    expect(actionTypes(tell(paused, shutsDown()))).toEqual(['shut-down']);
  });
});
