import { describe, expect, it } from 'vitest';
import type { Session } from '../../src/index.ts';
import {
  permissionAllowed,
  createCall,
  cancelRequested,
  permissionDenied,
  toolFinished,
  verdictReached,
  pauseRequested,
  modelReplied,
  resumeRequested,
  userMessage,
  userSteered,
  textDelta,
} from '../helpers/event-builders.ts';
import {
  requireAction,
  getRefusalReason,
  createProfileSession,
  runEvents,
  requireTurn,
  type UntimedEvent,
  type EventRun,
} from '../helpers/run-events.ts';

const hourMs = 3_600_000;

const createTimedSession = (logVersion?: number): Session =>
  createProfileSession('pawl', {
    ...(logVersion !== undefined && { logVersion }),
    settings: { budgets: { modelCalls: null, toolCalls: null, tokens: null, cost: null, wallMs: 1_000 } },
  });

const runLater = (run: EventRun, event: UntimedEvent, afterMs = hourMs): EventRun =>
  runEvents(run, { ...event, at: run.at + afterMs });

const runUntilPermission = (from: Session = createTimedSession()): EventRun =>
  runEvents(
    from,
    userMessage(),
    modelReplied('', createCall('a', 'read', 'ask'), createCall('b', 'read', 'ask')),
  );

describe('the time of a session with a budget', () => {
  it('stops while a permission is pending', () => {
    const decided = runLater(runLater(runUntilPermission(), permissionAllowed('a')), permissionAllowed('b'));
    expect(requireAction(runEvents(decided, toolFinished('a'), toolFinished('b')), 'ask-model').tools).toBe(
      true,
    );
    expect(decided.session.budgetUsage).toEqual({
      ...decided.session.budgetUsage,
      workingSince: 10 + 2 * hourMs,
    });
    expect(decided.session.budgetUsage).not.toHaveProperty('waitingSince');
  });

  it('is not exhausted for a model call right after a denial', () => {
    const denied = runLater(runEvents(runUntilPermission(), permissionAllowed('a')), permissionDenied('b'));
    expect(requireAction(runEvents(denied, toolFinished('a')), 'ask-model').tools).toBe(true);
    const none = runLater(
      runEvents(createTimedSession(), userMessage(), modelReplied('', createCall('a', 'read', 'ask'))),
      permissionDenied('a'),
    );
    expect(requireAction(none, 'ask-model').tools).toBe(true);
  });

  it('stops during a pause, whatever events arrive', () => {
    const paused = runEvents(
      createTimedSession(),
      userMessage(),
      modelReplied('', createCall('a')),
      pauseRequested(),
    );
    const resumed = runLater(runLater(runLater(paused, toolFinished('a')), userSteered()), resumeRequested());
    expect(resumed.session.budgetUsage.workingSince).toBe(10 + 3 * hourMs);
    expect(requireAction(resumed, 'ask-model').tools).toBe(true);
  });

  it('is not excluded twice if a permission is pending during a pause', () => {
    const paused = runLater(runUntilPermission(), pauseRequested());
    const decided = runLater(
      runLater(runLater(paused, permissionAllowed('a')), permissionAllowed('b')),
      resumeRequested(),
    );
    expect(decided.session.budgetUsage.workingSince).toBe(10 + 4 * hourMs);
    expect(requireTurn(decided, 'executingTools').executions).toHaveLength(2);
  });

  it('runs while the agent works, before and after the wait', () => {
    const decided = runLater(
      runLater(
        runEvents(createTimedSession(), userMessage()),
        modelReplied('', createCall('a', 'read', 'ask')),
        600,
      ),
      permissionAllowed(),
    );
    expect(requireAction(runLater(decided, toolFinished(), 300), 'ask-model').tools).toBe(true);
    expect(requireAction(runLater(decided, toolFinished(), 400), 'ask-model').tools).toBe(false);
  });

  it('is not changed by rejected or ephemeral events', () => {
    const before = runUntilPermission();
    const refused = runLater(before, userMessage('are you there?'));
    expect(getRefusalReason(refused)).toBe('permission is being asked');
    expect(refused.session).toBe(before.session);
    const paused = runEvents(createTimedSession(), userMessage(), pauseRequested());
    expect(runLater(paused, textDelta()).session.budgetUsage).toBe(paused.session.budgetUsage);
  });

  it('restarts with the next message, however the wait ended', () => {
    const called = runLater(runUntilPermission(), cancelRequested());
    expect(called.session.budgetUsage).not.toHaveProperty('waitingSince');
    expect(runLater(called, userMessage()).session.budgetUsage.workingSince).toBe(called.at + hourMs);
  });

  it('runs during a wait in sessions that started before log version 4', () => {
    const decided = runLater(
      runLater(runUntilPermission(createTimedSession(3)), permissionAllowed('a')),
      permissionAllowed('b'),
    );
    expect(decided.session.budgetUsage.workingSince).toBe(10);
    expect(requireAction(runEvents(decided, toolFinished('a'), toolFinished('b')), 'ask-model').tools).toBe(
      false,
    );
  });

  it('needs no clock without a budget', () => {
    const free = runEvents(
      createProfileSession('pawl'),
      userMessage(),
      modelReplied('', createCall('a', 'read', 'ask')),
      verdictReached('advise'),
    );
    expect(free.session.budgetUsage).toBe(createProfileSession('pawl').budgetUsage);
  });
});
