import { describe, expect, it } from 'vitest';
import { createSession } from '../../src/index.ts';
import {
  deriveSessionEnding,
  emptyOutcome,
  findToolAnswer,
  listPendingApprovals,
  updateOutcome,
  type SessionEnding,
} from '../../src/projections-entry.ts';
import {
  createCall,
  haltRequested,
  modelFailed,
  modelReplied,
  pauseRequested,
  permissionAllowed,
  shutdownRequested,
  successOutcome,
  toolFinished,
  userMessage,
  verdictReached,
} from '../helpers/event-builders.ts';
import type { UntimedEvent } from '../helpers/run-events.ts';
import { replayTestEvents } from './replay-test-events.ts';

function findEnding(...events: readonly UntimedEvent[]): SessionEnding {
  const steps = replayTestEvents(events);
  const end = steps.at(-1)?.after.session ?? createSession({ id: 's', at: 0 });
  return deriveSessionEnding(end, steps.reduce(updateOutcome, emptyOutcome));
}

const stuckTurn: readonly UntimedEvent[] = [
  userMessage('Go'),
  modelReplied('', createCall('a')),
  verdictReached('ask', { rule: 'my-rule', reason: 'nothing moves', evidence: [2] }),
  toolFinished('a'),
];

describe('the ending of a session', () => {
  it('is derived from its state and its last turn', () => {
    expect(findEnding().how).toBe('unused');
    expect(findEnding(userMessage('Go')).how).toBe('unfinished');
    expect(findEnding(userMessage('Go'), modelReplied('Yes.')).how).toBe('answered');
    expect(findEnding(userMessage('Go'), haltRequested('enough'))).toMatchObject({
      how: 'halted',
      reason: 'enough',
    });
    expect(findEnding(userMessage('Go'), shutdownRequested()).how).toBe('shut-down');
    const fatal = modelFailed({ kind: 'auth', message: 'bad key', retryable: false });
    expect(findEnding(userMessage('Go'), fatal)).toMatchObject({ how: 'failed', reason: 'bad key' });
  });

  it('names the verdict that ended the turn, with its evidence', () => {
    expect(findEnding(...stuckTurn)).toMatchObject({
      how: 'stuck',
      reason: 'nothing moves',
      rule: 'my-rule',
      evidence: [2],
    });
    expect(findEnding(userMessage('Go'), verdictReached('halt', { rule: 'own' }))).toMatchObject({
      how: 'stuck',
      rule: 'own',
      evidence: [1, 2],
    });
    expect(findEnding(userMessage('Go'), verdictReached('advise'), modelReplied('Yes.'))).toMatchObject({
      how: 'answered',
      rule: null,
    });
  });

  it('is that of its last turn', () => {
    expect(findEnding(...stuckTurn, userMessage('Look again'), modelReplied('There.'))).toMatchObject({
      how: 'answered',
      rule: null,
    });
  });
});

it('reads the answer of a finishing tool only', () => {
  expect(findToolAnswer(successOutcome('text', true))).toBe('text');
  expect(findToolAnswer(successOutcome({ answer: 'yes' }, true))).toBe('yes');
  expect(findToolAnswer(successOutcome({ result: 1 }, true))).toBe('{"result":1}');
  expect(findToolAnswer(successOutcome('text'))).toBeNull();
});

it('lists the calls that wait for approval, also while paused', () => {
  const events = [
    userMessage('Go'),
    modelReplied('', createCall('a', 'shell', 'ask'), createCall('b', 'shell', 'ask'), createCall('c')),
    permissionAllowed('a'),
    pauseRequested(),
  ];
  const pending = replayTestEvents(events).map(({ after }) =>
    listPendingApprovals(after.session).map(({ id }) => id),
  );
  expect(pending).toEqual([[], ['a', 'b'], ['b'], ['b']]);
});
