import { describe, expect, it } from 'vitest';
import { eventTypes, type EventType, type PausableTurn, type Session } from '../../src/index.ts';
import {
  permissionAllowed,
  createCall,
  cancelRequested,
  modelFailed,
  toolFinished,
  haltRequested,
  verdictReached,
  eventSamples,
  pauseRequested,
  modelReplied,
  resumeRequested,
  retryDue,
  userMessage,
  shutdownRequested,
  toolStarted,
  textDelta,
} from '../helpers/event-builders.ts';
import { pausableStateNames, getCurrentRequest, createSampleRun } from '../helpers/sample-runs.ts';
import {
  requireAction,
  listActionTypes,
  listStatusPath,
  getRefusalReason,
  createProfileSession,
  runEvents,
  requireTurn,
  type EventRun,
} from '../helpers/run-events.ts';

const createPawlSession = () => createProfileSession('pawl');

/** Events that a paused session takes for itself; all others go to the state held. */
const pausedEventTypes: readonly EventType[] = [
  'pause-requested',
  'resume-requested',
  'cancel-requested',
  'halt-requested',
  'shutdown-requested',
];

/** Numbers and times, which a pause shifts, are left out. */
const maskNumbers = (turn: Session['turn']): unknown =>
  JSON.parse(
    JSON.stringify(turn, (key, value: unknown) =>
      /^(?:since|at|startedAt|request|retryAt)$/.test(key) ? 0 : value,
    ),
  );

const getHeldTurn = (run: EventRun): PausableTurn => requireTurn(run, 'paused').held;

describe('pausing', () => {
  it.each(pausableStateNames)('holds %s unchanged and waits', (name) => {
    const before = createSampleRun(createPawlSession(), name);
    const run = runEvents(before, pauseRequested('disk is full'));
    expect(run.session.turn).toEqual({
      status: 'paused',
      since: run.at,
      reason: 'disk is full',
      held: before.session.turn,
    });
    expect(run.actions).toEqual([{ type: 'wait', until: null }]);
  });

  it('twice is refused, and the first reason stays', () => {
    const run = runEvents(
      createSampleRun(createPawlSession(), 'callingModel, fresh'),
      pauseRequested('first'),
      pauseRequested('second'),
    );
    expect(getRefusalReason(run)).toBe('the session is already paused');
    expect(requireTurn(run, 'paused').reason).toBe('first');
  });
});

describe('while paused', () => {
  it.each(pausableStateNames)('every event is handled as in %s, and no work starts', (name) => {
    const before = createSampleRun(createPawlSession(), name);
    const paused = runEvents(before, pauseRequested());
    for (const type of eventTypes.filter((each) => !pausedEventTypes.includes(each))) {
      const live = runEvents(before, eventSamples[type]);
      const run = runEvents(paused, eventSamples[type]);
      expect([type, maskNumbers(getHeldTurn(run))]).toEqual([type, maskNumbers(live.session.turn)]);
      expect([type, getRefusalReason(run)]).toEqual([type, getRefusalReason(live)]);
      const shown = listActionTypes(live).filter((each) => each.startsWith('show-'));
      expect([type, listActionTypes(run)]).toEqual([type, shown.length === 0 ? ['wait'] : shown]);
    }
  });

  it('a tool round ends and its hooks wait for the resume', () => {
    const paused = runEvents(
      createPawlSession(),
      userMessage(),
      modelReplied('', createCall('a', 'bash'), createCall('b')),
      pauseRequested(),
    );
    const run = runEvents(paused, toolFinished('b'), toolFinished('a'));
    expect(getHeldTurn(run).status).toBe('postToolsHook');
    expect(run.actions).toEqual([{ type: 'wait', until: null }]);
    expect(listActionTypes(runEvents(run, resumeRequested()))).toEqual(['run-hooks']);
  });

  it('a stuck verdict waits for the resume to recover', () => {
    const paused = runEvents(
      createPawlSession(),
      userMessage(),
      modelReplied('', createCall('a')),
      pauseRequested(),
    );
    const run = runEvents(paused, verdictReached('recover'), toolFinished('a'));
    expect(getHeldTurn(run).status).toBe('errorRecovery');
    expect(requireAction(runEvents(run, resumeRequested()), 'recover').attempt).toBe(1);
  });

  it('text still streams to the user', () => {
    const run = runEvents(createPawlSession(), userMessage(), pauseRequested(), textDelta('more'));
    expect(run.actions).toEqual([{ type: 'show-text', text: 'more' }]);
    expect(getHeldTurn(run)).toMatchObject({ status: 'callingModel', streaming: true });
  });

  it('giving up on the model is shown at once', () => {
    const run = runEvents(
      createPawlSession(),
      userMessage(),
      pauseRequested(),
      modelFailed({ retryable: false }),
    );
    expect(getHeldTurn(run).status).toBe('waitingForUser');
    expect(listActionTypes(run)).toEqual(['show-error']);
  });

  it('a refused event returns the identical session', () => {
    const paused = runEvents(createPawlSession(), userMessage(), pauseRequested());
    expect(runEvents(paused, userMessage('hello?')).session).toBe(paused.session);
  });

  it('the answer to a last call ends the session, and the transition starts from paused', () => {
    const last = runEvents(
      createPawlSession(),
      userMessage(),
      modelReplied('', createCall('a')),
      verdictReached('stop'),
      toolFinished('a'),
    );
    const run = runEvents(last, pauseRequested(), modelReplied('in short'));
    expect(listStatusPath(run)).toEqual(['paused', 'processingResponse', 'halted']);
    expect(run.notes).toMatchObject([
      { from: 'paused', to: 'processingResponse' },
      { from: 'processingResponse', to: 'halted' },
    ]);
    expect(listActionTypes(run)).toEqual(['stop']);
  });

  it('a verdict that asks to halt halts', () => {
    const run = runEvents(createPawlSession(), userMessage(), pauseRequested(), verdictReached('halt'));
    expect(listActionTypes(run)).toEqual(['abort', 'stop']);
    expect(requireTurn(run, 'halted').haltReason.kind).toBe('stuck');
  });
});

describe('resuming', () => {
  it.each(pausableStateNames)('restores %s, with that time as its start', (name) => {
    const before = createSampleRun(createPawlSession(), name);
    const run = runEvents(before, pauseRequested(), resumeRequested());
    expect(run.session.turn).toEqual({ ...before.session.turn, since: run.at });
    expect(listStatusPath(run)).toEqual(['paused', before.session.turn.status]);
  });

  it('requests only calls that are neither started nor decided', () => {
    const running = runEvents(
      createPawlSession(),
      userMessage(),
      modelReplied('', createCall('a'), createCall('b'), createCall('c')),
      toolStarted('a'),
      pauseRequested(),
    );
    const run = runEvents(running, toolFinished('b'), resumeRequested());
    expect(requireAction(run, 'run-tools').calls.map(({ id }) => id)).toEqual(['c']);

    const asking = runEvents(
      createPawlSession(),
      userMessage(),
      modelReplied('', createCall('a', 'bash', 'ask'), createCall('b', 'bash', 'ask')),
      pauseRequested(),
    );
    expect(
      requireAction(runEvents(asking, permissionAllowed('b'), resumeRequested()), 'ask-permission').calls.map(
        ({ id }) => id,
      ),
    ).toEqual(['a']);
  });

  it('calls the model with the current request number', () => {
    const calling = runEvents(createPawlSession(), userMessage());
    expect(requireAction(runEvents(calling, pauseRequested(), resumeRequested()), 'ask-model').request).toBe(
      getCurrentRequest(calling),
    );
  });

  it('calls the model for a message that arrived during the pause', () => {
    const run = runEvents(createPawlSession(), pauseRequested(), userMessage('are you there?'));
    expect(run.actions).toEqual([{ type: 'wait', until: null }]);
    expect(listActionTypes(runEvents(run, resumeRequested()))).toEqual(['ask-model']);
  });

  it('continues waiting for a retry, or calls at once if it became due during the pause', () => {
    const waiting = runEvents(createPawlSession(), userMessage(), modelFailed(), pauseRequested());
    const { retryAt } = requireTurn(
      runEvents(createPawlSession(), userMessage(), modelFailed()),
      'errorRecovery',
    ) as {
      readonly retryAt: number;
    };
    expect(runEvents(waiting, resumeRequested()).actions).toEqual([{ type: 'wait', until: retryAt }]);
    expect(requireAction(runEvents(waiting, retryDue(), resumeRequested()), 'ask-model').attempt).toBe(2);
  });
});

describe('a pause ends', () => {
  it.each(pausableStateNames)('with the work it holds when %s is canceled, halted or shut down', (name) => {
    const paused = createSampleRun(createPawlSession(), `paused, ${name}`);
    const abort = getCurrentRequest(paused) === 0 ? [] : ['abort'];
    expect(listActionTypes(runEvents(paused, cancelRequested()))).toEqual([...abort, 'wait']);
    expect(runEvents(paused, cancelRequested()).session.turn.status).toBe('waitingForUser');
    expect(listActionTypes(runEvents(paused, haltRequested()))).toEqual([...abort, 'stop']);
    expect(listActionTypes(runEvents(paused, shutdownRequested()))).toEqual(['shut-down']);
  });
});
