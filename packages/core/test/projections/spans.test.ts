import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  advanceOpenTurn,
  diffSpans,
  findOpenTurn,
  getTurnEnding,
  listOpenSpans,
  type EndedTurn,
  type TurnSpan,
} from '../../src/projections-entry.ts';
import {
  cancelRequested,
  createCall,
  failureOutcome,
  haltRequested,
  modelFailed,
  modelReplied,
  pauseRequested,
  permissionAllowed,
  resumeRequested,
  retryDue,
  toolFinished,
  toolStarted,
  userMessage,
} from '../helpers/event-builders.ts';
import { createWalkArbitrary } from '../helpers/random-walk.ts';
import type { UntimedEvent } from '../helpers/run-events.ts';
import { replayTestEvents } from './replay-test-events.ts';

/** Lists the ended spans: kind, start, end and result. */
function listEnded(...events: readonly UntimedEvent[]): readonly string[] {
  return replayTestEvents(events).flatMap((replayed) =>
    diffSpans(replayed).ended.map(({ span, result }) => {
      const error = result.kind === 'failed' ? ` ${result.error}` : '';
      return `${span.kind} ${span.since}-${replayed.event.at} ${result.kind}${error}`;
    }),
  );
}

describe('spans', () => {
  it('cover the wait for the user, model calls, permission and tools', () => {
    expect(
      listEnded(
        userMessage('Go'),
        modelReplied('', createCall('a', 'read', 'ask'), createCall('b', 'read', 'ask')),
        permissionAllowed('a'),
        permissionAllowed('b'),
        toolStarted('a'),
        toolStarted('b'),
        toolFinished('b', failureOutcome()),
        toolFinished('a'),
        modelReplied('Done.'),
      ),
    ).toEqual([
      'user 0-10 done',
      'model 10-20 done',
      'permission 20-30 done',
      'permission 20-40 done',
      'tool 60-70 failed failed',
      'tool 50-80 done',
      'model 80-90 done',
    ]);
  });

  it('cover retries with their attempt and due time', () => {
    const events = [userMessage('Go'), modelFailed({}, 0), retryDue()];
    expect(listEnded(...events)).toEqual([
      'user 0-10 done',
      'model 10-20 failed overloaded',
      'retry 20-30 done',
    ]);
    const [, failed, retried] = replayTestEvents(events);
    expect(failed && diffSpans(failed).started).toMatchObject([{ kind: 'retry', of: 'model', attempt: 1 }]);
    expect(retried && diffSpans(retried).started).toMatchObject([{ kind: 'model', attempt: 2 }]);
  });

  it('stay open below a pause, start over with the resume, and are cancelled by the end', () => {
    expect(
      listEnded(userMessage('Go'), pauseRequested(), resumeRequested(), pauseRequested(), haltRequested()),
    ).toEqual(['user 0-10 done', 'pause 20-30 done', 'pause 40-50 cancelled', 'model 30-50 cancelled']);
    expect(listEnded(userMessage('Go'), cancelRequested()).at(-1)).toBe('model 10-20 cancelled');
  });

  it('are those of the state after any events, each ended once', () => {
    fc.assert(
      fc.property(createWalkArbitrary({ maxLength: 60 }), ({ start, steps, end }) => {
        const open = new Set(listOpenSpans(start).map(({ key }) => key));
        for (const each of steps) {
          const { started, ended } = diffSpans(each);
          for (const { span } of ended) expect(open.delete(span.key)).toBe(true);
          for (const { key } of started) expect(open.has(key)).toBe(false);
          for (const { key } of started) open.add(key);
        }
        expect(open).toEqual(new Set(listOpenSpans(end).map(({ key }) => key)));
      }),
    );
  });
});

function listTurns(...events: readonly UntimedEvent[]): readonly EndedTurn[] {
  let turn: TurnSpan | null = null;
  return replayTestEvents(events).flatMap((replayed) => {
    const open = turn;
    turn = advanceOpenTurn(open, replayed.before, replayed.after.session);
    expect(turn).toEqual(findOpenTurn(replayed.after.session));
    return open === null || open === turn ? [] : [{ ...open, ...getTurnEnding(replayed) }];
  });
}

describe('the span of a turn', () => {
  it('starts with the user message and says how the turn ended', () => {
    expect(listTurns(userMessage('Go'), modelReplied('Done.'))).toEqual([
      { startedAt: 10, ending: 'answered', result: { kind: 'done' } },
    ]);
    expect(listTurns(userMessage('Go'), cancelRequested())).toMatchObject([{ ending: 'cancelled' }]);
    expect(listTurns(userMessage('Go'), pauseRequested(), haltRequested())).toMatchObject([
      { ending: 'halted', result: { kind: 'cancelled' } },
    ]);
    expect(listTurns(userMessage('Go'), modelFailed({ kind: 'auth', retryable: false }))).toMatchObject([
      { ending: 'failed', result: { kind: 'failed', error: 'auth' } },
    ]);
  });
});
