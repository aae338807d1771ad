import { describe, expect, it } from 'vitest';
import { toItemArray, getConversation, type ToolCall } from '../../src/index.ts';
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

const callingRun = runEvents(createProfileSession('pawl'), userMessage());
const mixedPermissionsRun = runEvents(
  callingRun,
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
    const run = runEvents(one, permissionDenied('b'));
    expect(listStatusPath(run)).toEqual(['awaitingPermission', 'executingTools']);
    expect(listCallIds(requireAction(run, 'run-tools').calls)).toEqual(['a', 'd']);
  });

  it('that is denied becomes the result of the call, with the reason', () => {
    const run = runEvents(
      mixedPermissionsRun,
      permissionDenied('b', 'too risky'),
      permissionDenied('d'),
      toolFinished('a'),
    );
    const results = toItemArray(requireAction(run, 'ask-model').conversation).filter(
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
      callingRun,
      modelReplied('', createCall('a', 'bash', 'ask'), createCall('b', 'bash', 'deny')),
    );
    const run = runEvents(asking, permissionDenied('a'));
    expect(listStatusPath(run)).toEqual([
      'awaitingPermission',
      'processingResponse',
      'progressCheck',
      'callingModel',
    ]);
    expect(listActionTypes(run)).toEqual(['ask-model']);
    expect(findConversationFaults(getConversation(run.session))).toEqual([]);
  });

  it('denied by rules alone asks no person', () => {
    const run = runEvents(
      callingRun,
      modelReplied('', createCall('a', 'bash', 'deny'), createCall('b', 'bash', 'deny')),
    );
    expect(listStatusPath(run)).toEqual([
      'callingModel',
      'processingResponse',
      'progressCheck',
      'callingModel',
    ]);
    const partial = runEvents(
      callingRun,
      modelReplied('', createCall('a', 'bash', 'deny'), createCall('b', 'read', 'allow')),
    );
    expect(listCallIds(requireAction(partial, 'run-tools').calls)).toEqual(['b']);
  });

  it('counts once: a second decision, or one on a call that needs none, is ignored', () => {
    const first = runEvents(mixedPermissionsRun, permissionAllowed('b'));
    for (const event of [
      permissionDenied('b'),
      permissionDenied('a'),
      permissionAllowed('c'),
      permissionAllowed('nobody'),
    ]) {
      const run = runEvents(first, event);
      expect(run.session).toBe(first.session);
      expect(getRefusalReason(run)).toBeDefined();
    }
  });

  it('denied counts as no change: no hooks run', () => {
    const run = runEvents(
      mixedPermissionsRun,
      permissionDenied('b'),
      permissionDenied('d'),
      toolFinished('a'),
    );
    expect(listStatusPath(run)).toEqual(['executingTools', 'progressCheck', 'callingModel']);
  });

  it('granted runs the calls, and a finish request takes effect after them', () => {
    const run = runEvents(
      mixedPermissionsRun,
      finishRequested(),
      permissionAllowed('b'),
      permissionDenied('d'),
      toolStarted('a'),
      toolFinished('a'),
      toolFinished('b', failureOutcome()),
    );
    expect(requireAction(run, 'ask-model').tools).toBe(false);
  });
});
