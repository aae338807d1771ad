import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SessionOptions } from '../../src/index.ts';
import {
  countBlockedCalls,
  listDecisions,
  listUnrunCalls,
  listVerdicts,
  type SessionDecision,
} from '../../src/projections-entry.ts';
import {
  cancelRequested,
  createCall,
  failureOutcome,
  finishRequested,
  haltRequested,
  modelFailed,
  modelReplied,
  permissionDenied,
  retryDue,
  successOutcome,
  toolFinished,
  toolStarted,
  userMessage,
  verdictReached,
} from '../helpers/event-builders.ts';
import { createWalkArbitrary } from '../helpers/random-walk.ts';
import type { UntimedEvent } from '../helpers/run-events.ts';
import { replayTestEvents } from './replay-test-events.ts';

function listAll(
  events: readonly UntimedEvent[],
  options?: Partial<SessionOptions>,
): readonly SessionDecision[] {
  return replayTestEvents(events, options).flatMap((replayed) => listDecisions(replayed));
}

const blockAfterTwo: Partial<SessionOptions> = {
  settings: {
    governor: { preset: 'pawl', rules: { 'repeated-call': { advise: null, block: 2, stop: null } } },
  },
};

const createRound = (id: string): readonly UntimedEvent[] => [
  modelReplied('', { ...createCall(id), args: { path: 'x' } }),
  toolFinished(id, successOutcome('same')),
];

describe('decisions', () => {
  it('include a call that the governor blocked, with its rule and reason', () => {
    const events = [
      userMessage('Go'),
      ...createRound('a'),
      ...createRound('b'),
      ...createRound('c').slice(0, 1),
    ];
    const decisions = listAll(events, blockAfterTwo);
    expect(decisions.map(({ kind }) => kind)).toEqual(['verdict', 'denied']);
    expect(decisions[1]).toMatchObject({
      seq: 6,
      callId: 'c',
      tool: 'read',
      args: { path: 'x' },
      errorKind: 'denied',
      rule: 'repeated-call',
    });
    const blocked = replayTestEvents(events, blockAfterTwo).map(countBlockedCalls);
    expect(blocked).toEqual([0, 0, 0, 0, 0, 1]);
  });

  it('name no rule of the governor if a permission rule denied the call', () => {
    const reply = modelReplied('', createCall('a', 'shell', 'deny'), createCall('b'));
    expect(listAll([userMessage('Go'), reply])).toMatchObject([
      { kind: 'denied', tool: 'shell', errorKind: 'denied', rule: null },
    ]);
  });

  it('include the answer of a person instead of a denial', () => {
    expect(
      listAll([
        userMessage('Go'),
        modelReplied('', createCall('a', 'shell', 'ask')),
        permissionDenied('a', 'not today'),
      ]),
    ).toMatchObject([{ kind: 'permission', callId: 'a', isAllowed: false, reason: 'not today' }]);
  });

  it('include retries, and that the model is given up', () => {
    const [retry, given] = listAll([
      userMessage('Go'),
      modelFailed({}, 0),
      retryDue(),
      modelFailed({ kind: 'auth', message: 'bad key', retryable: false }),
    ]);
    expect(retry).toMatchObject({ kind: 'retry', attempt: 1, error: 'overloaded: too busy' });
    expect(retry?.kind === 'retry' ? retry.until : null).toBeGreaterThan(20);
    expect(given).toMatchObject({ kind: 'retry', attempt: 2, until: null });
  });

  it('include the request for the final answer, and the stop', () => {
    expect(
      listAll([
        userMessage('Go'),
        modelReplied('', createCall('a')),
        finishRequested(),
        toolFinished('a'),
        haltRequested('enough'),
      ]),
    ).toMatchObject([
      { seq: 4, kind: 'last answer' },
      { seq: 5, kind: 'stop', reason: 'enough', rule: null },
    ]);
  });

  it('exclude refused events', () => {
    expect(listAll([permissionDenied('a'), verdictReached('advise'), toolFinished('a')])).toEqual([]);
  });
});

describe('the calls that did not run', () => {
  it('are reported once, when they get their result', () => {
    const steps = replayTestEvents([
      userMessage('Go'),
      modelReplied('', createCall('a', 'shell', 'deny'), createCall('b'), createCall('c')),
      toolStarted('b'),
      toolFinished('b', failureOutcome()),
      cancelRequested(),
    ]);
    expect(
      steps.flatMap((replayed) =>
        listUnrunCalls(replayed).map(({ callId, errorKind }) => `${replayed.seq} ${callId} ${errorKind}`),
      ),
    ).toEqual(['2 a denied', '5 c cancelled']);
  });

  it('are never reported twice, for any events', () => {
    fc.assert(
      fc.property(createWalkArbitrary({ maxLength: 60 }), ({ steps }) => {
        for (const [index, each] of steps.entries()) {
          const next = steps[index + 1];
          if (next === undefined || next.event.type === 'model-replied') continue;
          const ids = new Set(listUnrunCalls({ ...each, seq: 1 }).map(({ callId }) => callId));
          const isSameRound = next.before.turn.status === next.after.session.turn.status;
          if (!isSameRound) continue;
          expect(listUnrunCalls({ ...next, seq: 2 }).filter(({ callId }) => ids.has(callId))).toEqual([]);
        }
      }),
    );
  });
});

it('lists a verdict once, whether the governor reached it or an event reports it', () => {
  const steps = replayTestEvents([userMessage('Go'), verdictReached('advise', { rule: 'own' })]);
  expect(steps.flatMap(listVerdicts)).toMatchObject([{ seq: 2, rule: 'own' }]);
});
