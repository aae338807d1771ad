import { describe, expect, it } from 'vitest';
import { eventTypes, isEphemeral } from '../../src/index.ts';
import {
  answering,
  call,
  finishes,
  oneOfEach,
  replies,
  reports,
  says,
  starts,
} from '../helpers/happenings.ts';
import { isAnswer } from '../helpers/plausible.ts';
import { requestOf, sample, sampleNames } from '../helpers/samples.ts';
import { actionTypes, refusal, sessionOf, tell, type Told } from '../helpers/tell.ts';

const answers = eventTypes.filter((type) => isAnswer({ type }));
const durable = answers.filter((type) => !isEphemeral({ at: 0, ...oneOfEach[type] }));

const policies = ['ignore', 'refuse', 'reset'] as const;

/** What came of an answer that counts for nothing; nothing at all when all is well. */
function faultIn(before: Told, after: Told): string[] {
  const isIgnored = after.session === before.session && refusal(after) !== undefined;
  const asked = actionTypes(after).join();
  if (isIgnored && asked === 'wait') return [];
  const [event] = after.events.slice(-1);
  return [`${event?.type} in ${before.session.turn.status}: ${asked}`];
}

describe('an answer with another number than that of the request under way', () => {
  it.each(policies)('is ignored in every state, even where the profile says %s', (onInvalidEvent) => {
    const faults = sampleNames.flatMap((name) => {
      const before = sample(sessionOf('pawl', { settings: { onInvalidEvent } }), name);
      const late = requestOf(before) + 1;
      return answers.flatMap((type) => faultIn(before, tell(before, answering(late, oneOfEach[type]))));
    });
    expect([...new Set(faults)]).toEqual([]);
  });

  it('belongs to work that was called off, whether its number is lower or higher', () => {
    const before = sample(sessionOf('pawl'), 'executingTools, one left');
    for (const change of [-1, 1, Number.NaN]) {
      const told = tell(before, answering(requestOf(before) + change, finishes('a')));
      expect(told.session).toBe(before.session);
      expect(refusal(told)).toBe('it answers a request that is no longer under way');
    }
  });
});

describe('an answer that comes twice', () => {
  it.each(policies)('is ignored the second time, even where the profile says %s', (onInvalidEvent) => {
    const faults = sampleNames.flatMap((name) => {
      const before = sample(sessionOf('pawl', { settings: { onInvalidEvent } }), name);
      return durable.flatMap((type) => {
        const happening = answering(requestOf(before), oneOfEach[type]);
        const once = tell(before, happening);
        return refusal(once) === undefined ? faultIn(once, tell(once, happening)) : [];
      });
    });
    expect([...new Set(faults)]).toEqual([]);
  });
});

describe('an answer', () => {
  it.each(sampleNames)('in %s is the same with the right number as with none', (name) => {
    const before = sample(sessionOf('pawl'), name);
    for (const type of answers) {
      const plain = tell(before, oneOfEach[type]);
      const numbered = tell(before, answering(requestOf(before), oneOfEach[type]));
      expect(numbered.session).toEqual(plain.session);
      expect(actionTypes(numbered)).toEqual(actionTypes(plain));
    }
  });

  it('about a call that nobody asked for, or that has its result, is ignored', () => {
    const before = tell(sessionOf('pawl'), says(), replies('', call('a'), call('b')), finishes('b'));
    for (const id of ['', 'b', 'z', '__proto__', 'constructor']) {
      for (const happening of [starts(id), reports(id), finishes(id)]) {
        const told = tell(before, happening);
        expect(told.session).toBe(before.session);
        expect(told.actions).toEqual([{ type: 'wait', until: null }]);
      }
    }
  });
});
