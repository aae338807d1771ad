import { describe, expect, it } from 'vitest';
import { toItemArray, getConversation, type Session } from '../../src/index.ts';
import { findTurnAnswer } from '../../src/session/session-status.ts';
import {
  permissionAllowed,
  withRequest,
  createCall,
  cancelRequested,
  permissionDenied,
  toolFinished,
  haltRequested,
  verdictReached,
  pauseRequested,
  modelReplied,
  userMessage,
  shutdownRequested,
  toolStarted,
  successOutcome,
} from '../helpers/event-builders.ts';
import { findConversationFaults } from '../helpers/conversation-faults.ts';
import { pausableStateNames, getCurrentRequest, createSampleRun } from '../helpers/sample-runs.ts';
import {
  listActionTypes,
  createProfileSession,
  runEvents,
  requireTurn,
  type EventRun,
} from '../helpers/run-events.ts';

const callingRun = runEvents(createProfileSession('pawl'), userMessage());

/** What the model will be told of each call. */
function listToolResults(session: Session): readonly string[] {
  return toItemArray(getConversation(session))
    .filter((message) => message.role === 'tool')
    .map(({ callId, outcome }) => `${callId} ${outcome.ok ? 'ok' : outcome.error.kind}`);
}

const endingEvents = [
  ['cancel', cancelRequested(), 'waitingForUser'],
  ['halt', haltRequested(), 'halted'],
  ['shutdown', shutdownRequested(), 'shuttingDown'],
  ['verdict to halt', verdictReached('halt'), 'halted'],
] as const;

describe.each(endingEvents)('a %s', (_, end, status) => {
  it('in the middle of tools keeps finished results and gives each open call a result', () => {
    const busy = runEvents(
      callingRun,
      modelReplied('', createCall('a'), createCall('b'), createCall('c'), createCall('d', 'bash', 'deny')),
    );
    const run = runEvents(busy, toolStarted('b'), toolFinished('a', successOutcome()), end);
    expect(run.session.turn.status).toBe(status);
    expect(listToolResults(run.session)).toEqual(['a ok', 'b interrupted', 'c cancelled', 'd denied']);
    expect(findConversationFaults(getConversation(run.session))).toEqual([]);
  });

  it('in the middle of permissions gives each call a result, and no call counts as run', () => {
    const calls = [
      createCall('a', 'bash', 'ask'),
      createCall('b', 'bash', 'ask'),
      createCall('c', 'bash', 'ask'),
      createCall('d'),
    ];
    const run = runEvents(
      callingRun,
      modelReplied('', ...calls),
      permissionAllowed('a'),
      permissionDenied('b'),
      end,
    );
    expect(run.session.turn.status).toBe(status);
    expect(listToolResults(run.session)).toEqual(['a cancelled', 'b denied', 'c cancelled', 'd cancelled']);
    expect(findConversationFaults(getConversation(run.session))).toEqual([]);
  });

  it('during a pause in the middle of tools does the same', () => {
    const paused = runEvents(
      callingRun,
      modelReplied('', createCall('a'), createCall('b')),
      toolStarted('a'),
      pauseRequested(),
    );
    expect(listToolResults(runEvents(paused, end).session)).toEqual(['a interrupted', 'b cancelled']);
  });

  it.each(pausableStateNames)('in %s leaves a valid conversation', (name) => {
    const run = runEvents(createSampleRun(createProfileSession('pawl'), name), end);
    expect(findConversationFaults(getConversation(run.session))).toEqual([]);
  });
});

describe('a cancel', () => {
  it('aborts exactly the current request', () => {
    const busy = runEvents(callingRun, modelReplied('', createCall('a')));
    expect(runEvents(busy, cancelRequested()).actions).toEqual([
      { type: 'abort', request: getCurrentRequest(busy) },
      { type: 'wait', until: null },
    ]);
  });

  it('lets the user continue at once, with a new request number', () => {
    const run = runEvents(callingRun, cancelRequested(), userMessage('something else'));
    expect(listActionTypes(run)).toEqual(['ask-model']);
    expect(getCurrentRequest(run)).not.toBe(getCurrentRequest(callingRun));
  });

  it('makes answers to canceled work stale, and they change nothing', () => {
    const request = getCurrentRequest(callingRun);
    const next = runEvents(callingRun, cancelRequested(), userMessage('something else'));
    const run = runEvents(next, withRequest(request, modelReplied('too late')));
    expect(run.session).toBe(next.session);
    expect(requireTurn(run, 'callingModel').request).not.toBe(request);
  });
});

describe('what canceled work had produced', () => {
  const partial = { reply: { request: 99, text: 'I was about to' }, outputs: { a: 'half of it' } };
  const cancelWith = (run: EventRun) =>
    runEvents(run, {
      type: 'cancel-requested',
      partial: { ...partial, reply: { ...partial.reply, request: getCurrentRequest(run) } },
    });

  it('stays in the conversation, and is not the answer', () => {
    const { session } = cancelWith(callingRun);
    expect(toItemArray(getConversation(session)).at(-1)).toMatchObject({
      role: 'assistant',
      text: 'I was about to\n\n[Interrupted by the user.]',
      isInterrupted: true,
    });
    expect(findTurnAnswer(getConversation(session))).toBeNull();
    const tools = runEvents(
      callingRun,
      modelReplied('', createCall('a'), createCall('b')),
      toolStarted('a'),
      toolStarted('b'),
    );
    const [first, second] = toItemArray(getConversation(cancelWith(tools).session)).slice(-2);
    expect(JSON.stringify(first)).toContain('partly or not at all. Output so far:\\nhalf of it');
    expect(JSON.stringify(second)).not.toContain('Output so far');
  });

  it('is not taken from another request, nor from a call that has ended', () => {
    const stale = runEvents(callingRun, { type: 'cancel-requested', partial });
    expect(toItemArray(getConversation(stale.session))).toHaveLength(1);
    const ended = runEvents(
      callingRun,
      modelReplied('', createCall('a'), createCall('b')),
      toolStarted('a'),
      toolFinished('a', successOutcome()),
    );
    expect(JSON.stringify(getConversation(cancelWith(ended).session))).not.toContain('half of it');
  });

  it('is kept while the session is paused', () => {
    const paused = runEvents(callingRun, pauseRequested());
    const { session } = cancelWith(paused);
    expect(JSON.stringify(getConversation(session))).toContain('I was about to');
  });
});
