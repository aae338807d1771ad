import { describe, expect, it } from 'vitest';
import { getConversation, toItemArray, type ToolCall } from '../../src/index.ts';
import {
  permissionAllowed,
  finishRequested,
  failureOutcome,
  createCall,
  permissionDenied,
  toolFinished,
  modelReplied,
  userMessage,
  toolStarted,
} from '../helpers/event-builders.ts';
import { findConversationFaults } from '../helpers/conversation-faults.ts';
import {
  requireAction,
  listActionTypes,
  listStatusPath,
  getRefusalReason,
  createProfileSession,
  runEvents,
  requireTurn,
} from '../helpers/run-events.ts';

const askedRun = runEvents(createProfileSession('pawl'), userMessage());
const mixedPermissionsRun = runEvents(
  askedRun,
  modelReplied(
    '',
    createCall('a', 'read'),
    createCall('b', 'bash', 'ask'),
    createCall('c', 'edit', 'deny'),
    createCall('d', 'bash', 'ask'),
  ),
);
const listCallIds = (calls: readonly ToolCall[]): readonly string[] => calls.map(({ id }) => id);

describe('permission', () => {
  it('is requested for the calls that need it, and no call runs meanwhile [NEX-51]', () => {
    expect(listStatusPath(mixedPermissionsRun)).toEqual([
      'callingModel',
      'processingResponse',
      'awaitingPermission',
    ]);
    expect(listActionTypes(mixedPermissionsRun)).toEqual(['ask-permission']);
    expect(listCallIds(requireAction(mixedPermissionsRun, 'ask-permission').calls)).toEqual(['b', 'd']);
    expect(
      requireTurn(mixedPermissionsRun, 'awaitingPermission').calls.map(({ decision }) => decision),
    ).toEqual(['allowed', 'pending', 'denied', 'pending']);
  });

  it('is awaited until every call is decided, in any order', () => {
    const one = runEvents(mixedPermissionsRun, permissionAllowed('d'));
    expect(one.session.turn.status).toBe('awaitingPermission');
    expect(one.actions).toEqual([{ type: 'wait', until: null }]);
    const told = runEvents(one, permissionDenied('b'));
    expect(listStatusPath(told)).toEqual(['awaitingPermission', 'executingTools']);
    expect(listCallIds(requireAction(told, 'run-tools').calls)).toEqual(['a', 'd']);
  });

  it('that is denied becomes the result of the call, with the reason', () => {
    const told = runEvents(
      mixedPermissionsRun,
      permissionDenied('b', 'too risky'),
      permissionDenied('d'),
      toolFinished('a'),
    );
    const results = toItemArray(requireAction(told, 'ask-model').conversation).filter(
      (message) => message.role === 'tool',
    );
    expect(results.map(({ callId }) => callId)).toEqual(['a', 'b', 'c', 'd']);
    expect(results.map(({ outcome }) => (outcome.ok ? 'ok' : outcome.error.kind))).toEqual([
      'ok',
      'denied',
      'denied',
      'denied',
    ]);
    expect(results[1]?.outcome).toMatchObject({ error: { message: expect.stringContaining('too risky') } });
  });

  it('denied to every call leads to another model call, and runs nothing', () => {
    const asking = runEvents(
      askedRun,
      modelReplied('', createCall('a', 'bash', 'ask'), createCall('b', 'bash', 'deny')),
    );
    const told = runEvents(asking, permissionDenied('a'));
    expect(listStatusPath(told)).toEqual([
      'awaitingPermission',
      'processingResponse',
      'progressCheck',
      'callingModel',
    ]);
    expect(listActionTypes(told)).toEqual(['ask-model']);
    expect(findConversationFaults(getConversation(told.session))).toEqual([]);
  });

  it('denied by rules alone asks no person', () => {
    const told = runEvents(
      askedRun,
      modelReplied('', createCall('a', 'bash', 'deny'), createCall('b', 'bash', 'deny')),
    );
    expect(listStatusPath(told)).toEqual([
      'callingModel',
      'processingResponse',
      'progressCheck',
      'callingModel',
    ]);
    const some = runEvents(
      askedRun,
      modelReplied('', createCall('a', 'bash', 'deny'), createCall('b', 'read', 'allow')),
    );
    expect(listCallIds(requireAction(some, 'run-tools').calls)).toEqual(['b']);
  });

  it('counts once: a second decision, or one on a call that needs none, is ignored', () => {
    const once = runEvents(mixedPermissionsRun, permissionAllowed('b'));
    for (const happening of [
      permissionDenied('b'),
      permissionDenied('a'),
      permissionAllowed('c'),
      permissionAllowed('nobody'),
    ]) {
      const told = runEvents(once, happening);
      expect(told.session).toBe(once.session);
      expect(getRefusalReason(told)).toBeDefined();
    }
  });

  it('denied counts as no change: no hooks run', () => {
    const told = runEvents(
      mixedPermissionsRun,
      permissionDenied('b'),
      permissionDenied('d'),
      toolFinished('a'),
    );
    expect(listStatusPath(told)).toEqual(['executingTools', 'progressCheck', 'callingModel']);
  });

  it('granted runs the calls, and a finish request takes effect after them', () => {
    const told = runEvents(
      mixedPermissionsRun,
      finishRequested(),
      permissionAllowed('b'),
      permissionDenied('d'),
      toolStarted('a'),
      toolFinished('a'),
      toolFinished('b', failureOutcome()),
    );
    expect(requireAction(told, 'ask-model').tools).toBe(false);
  });
});
