import { describe, expect, it } from 'vitest';
import { eventTypes, isEphemeralEvent } from '../../src/index.ts';
import {
  withRequest,
  createCall,
  toolFinished,
  eventSamples,
  modelReplied,
  toolProgressed,
  userMessage,
  toolStarted,
} from '../helpers/event-builders.ts';
import { isAnswerEvent } from '../helpers/choose-plausible-event.ts';
import { getCurrentRequest, createSampleRun, sampleNames } from '../helpers/sample-runs.ts';
import {
  listActionTypes,
  getRefusalReason,
  createProfileSession,
  runEvents,
  type EventRun,
} from '../helpers/run-events.ts';

const answerEventTypes = eventTypes.filter((type) => isAnswerEvent({ type }));
const durableAnswerTypes = answerEventTypes.filter(
  (type) => !isEphemeralEvent({ at: 0, ...eventSamples[type] }),
);

const policies = ['ignore', 'refuse', 'reset'] as const;

/** What came of an answer that counts for nothing; nothing at all when all is well. */
function findAnswerFaults(before: EventRun, after: EventRun): string[] {
  const isIgnored = after.session === before.session && getRefusalReason(after) !== undefined;
  const actionTypes = listActionTypes(after).join();
  if (isIgnored && actionTypes === 'wait') return [];
  const [event] = after.events.slice(-1);
  return [`${event?.type} in ${before.session.turn.status}: ${actionTypes}`];
}

describe('an answer with another request number', () => {
  it.each(policies)('is ignored in every state, even if the profile says %s', (onInvalidEvent) => {
    const problems = sampleNames.flatMap((name) => {
      const before = createSampleRun(createProfileSession('pawl', { settings: { onInvalidEvent } }), name);
      const late = getCurrentRequest(before) + 1;
      return answerEventTypes.flatMap((type) =>
        findAnswerFaults(before, runEvents(before, withRequest(late, eventSamples[type]))),
      );
    });
    expect([...new Set(problems)]).toEqual([]);
  });

  it('belongs to canceled work, whether its number is lower or higher', () => {
    const before = createSampleRun(createProfileSession('pawl'), 'executingTools, one left');
    for (const change of [-1, 1, Number.NaN]) {
      const run = runEvents(before, withRequest(getCurrentRequest(before) + change, toolFinished('a')));
      expect(run.session).toBe(before.session);
      expect(getRefusalReason(run)).toBe('it answers a request that is no longer current');
    }
  });
});

describe('a duplicate answer', () => {
  it.each(policies)('is ignored the second time, even if the profile says %s', (onInvalidEvent) => {
    const problems = sampleNames.flatMap((name) => {
      const before = createSampleRun(createProfileSession('pawl', { settings: { onInvalidEvent } }), name);
      return durableAnswerTypes.flatMap((type) => {
        const event = withRequest(getCurrentRequest(before), eventSamples[type]);
        const first = runEvents(before, event);
        return getRefusalReason(first) === undefined ? findAnswerFaults(first, runEvents(first, event)) : [];
      });
    });
    expect([...new Set(problems)]).toEqual([]);
  });
});

describe('an answer', () => {
  it.each(sampleNames)('in %s is the same with the right number as with none', (name) => {
    const before = createSampleRun(createProfileSession('pawl'), name);
    for (const type of answerEventTypes) {
      const plain = runEvents(before, eventSamples[type]);
      const numbered = runEvents(before, withRequest(getCurrentRequest(before), eventSamples[type]));
      expect(numbered.session).toEqual(plain.session);
      expect(listActionTypes(numbered)).toEqual(listActionTypes(plain));
    }
  });

  it('to an unknown or completed call is ignored', () => {
    const before = runEvents(
      createProfileSession('pawl'),
      userMessage(),
      modelReplied('', createCall('a'), createCall('b')),
      toolFinished('b'),
    );
    for (const id of ['', 'b', 'z', '__proto__', 'constructor']) {
      for (const event of [toolStarted(id), toolProgressed(id), toolFinished(id)]) {
        const run = runEvents(before, event);
        expect(run.session).toBe(before.session);
        expect(run.actions).toEqual([{ type: 'wait', until: null }]);
      }
    }
  });
});
