import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toItemArray, getConversation } from '../../src/index.ts';
import { assignCallIds } from '@pawl/governor';
import {
  createCall,
  toolFinished,
  verdictReached,
  modelReplied,
  userMessage,
  successOutcome,
} from '../helpers/event-builders.ts';
import { findConversationFaults } from '../helpers/conversation-faults.ts';
import { createProfileSession, runEvents } from '../helpers/run-events.ts';

const listAssignedIds = (input: readonly string[], request = 5): readonly string[] =>
  assignCallIds(
    input.map((id) => createCall(id)),
    request,
  ).map(({ id }) => id);

describe('the ids of the calls of a reply', () => {
  it('are the model’s own if they are usable', () => {
    expect(listAssignedIds(['a', 'b', '__proto__', 'constructor'])).toEqual([
      'a',
      'b',
      '__proto__',
      'constructor',
    ]);
  });

  it('are derived from the request if they are empty, missing or duplicated', () => {
    expect(listAssignedIds(['a', '', 'a'])).toEqual(['a', 'call_5_1', 'call_5_2']);
    expect(assignCallIds([{ tool: 'read', args: null }], 7)).toEqual([
      { id: 'call_7_0', tool: 'read', args: null },
    ]);
  });

  it('are unique, even if a model uses ids like the derived ones', () => {
    const likely = fc.constantFrom('', 'a', 'call_5_0', 'call_5_1', 'call_5_2', 'call_5_1_', 'call_5_2_');
    fc.assert(
      fc.property(fc.array(likely, { maxLength: 12 }), (input) => {
        const ids = listAssignedIds(input);
        expect(new Set(ids).size).toBe(input.length);
        expect(ids).not.toContain('');
      }),
    );
  });

  it('give each of two calls with the same id its own result', () => {
    const run = runEvents(
      createProfileSession('pawl'),
      userMessage(),
      modelReplied('', createCall('a'), createCall('a')),
    );
    const done = runEvents(
      run,
      toolFinished('call_1_1', successOutcome('second')),
      toolFinished('a', successOutcome('first')),
    );
    const results = toItemArray(getConversation(done.session)).filter((message) => message.role === 'tool');
    expect(results.map(({ callId, outcome }) => [callId, outcome.ok && outcome.output])).toEqual([
      ['a', 'first'],
      ['call_1_1', 'second'],
    ]);
    expect(findConversationFaults(getConversation(done.session))).toEqual([]);
  });

  it('are unique across replies if they are derived', () => {
    const unnamed = [createCall('', 'bash', 'ask'), createCall('', 'bash', 'ask')];
    const stuck = runEvents(
      createProfileSession('pawl'),
      userMessage(),
      modelReplied('', createCall('a')),
      verdictReached({ kind: 'run', calls: unnamed }),
    );
    const run = runEvents(stuck, toolFinished('a'), modelReplied('', createCall(''), createCall('')));
    const messages = toItemArray(getConversation(run.session)).filter(
      (message) => message.role === 'assistant',
    );
    const ids = messages.flatMap(({ calls }) => calls.map(({ id }) => id));
    expect(ids).toHaveLength(5);
    expect(new Set(ids).size).toBe(5);
  });

  it('may repeat across replies if they are the model’s own', () => {
    const run = runEvents(
      createProfileSession('pawl'),
      userMessage(),
      modelReplied('', createCall('a')),
      toolFinished('a'),
      modelReplied('', createCall('a')),
    );
    expect(findConversationFaults(getConversation(runEvents(run, toolFinished('a')).session))).toEqual([]);
  });
});

describe('a reply', () => {
  it('with neither text nor calls adds no message, and ends the turn', () => {
    const run = runEvents(createProfileSession('pawl'), userMessage(), modelReplied(''));
    expect(run.session.turn.status).toBe('waitingForUser');
    expect(toItemArray(getConversation(run.session))).toHaveLength(1);
  });
});
