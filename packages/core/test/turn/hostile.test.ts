import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  conversationOf,
  eventTypes,
  isTerminal,
  profiles,
  step,
  type Event,
  type EventType,
  type Json,
  type RequestedCall,
  type Session,
} from '../../src/index.ts';
import type { Dice } from '../helpers/dice.ts';
import * as happens from '../helpers/happenings.ts';
import { faultsIn } from '../helpers/history.ts';
import { plausible } from '../helpers/plausible.ts';
import { sample, sampleNames } from '../helpers/samples.ts';
import { sessionOf, tell, type Happening } from '../helpers/tell.ts';
import { walks } from '../helpers/walk.ts';

const numbers = [
  Number.NaN,
  Number.POSITIVE_INFINITY,
  Number.NEGATIVE_INFINITY,
  -1,
  -0,
  0.1,
  Number.MAX_VALUE,
  Number.MIN_VALUE,
] as const;
const texts = [
  '',
  '__proto__',
  'constructor',
  'toString',
  '\uD800',
  '\uDFFF\uD83D',
  '\0',
  'a'.repeat(10_000),
] as const;
const values: readonly [Json, ...Json[]] = [
  null,
  [],
  { constructor: 1 },
  JSON.parse('{"__proto__": {"polluted": true}}') as Json,
  [[[[[]]]]],
];

function calls(dice: Dice): readonly RequestedCall[] {
  const count = dice.pick([0, 1, 3, 200]);
  return Array.from({ length: count }, (_, index) => ({
    tool: dice.pick(texts),
    args: dice.pick(values),
    ...(dice.chance(70) ? { id: dice.chance(30) ? `${index}` : dice.pick(texts) } : {}),
    permission: dice.pick(['allow', 'ask', 'deny']),
  }));
}

/** Where a well-typed event has room for hostile values. */
const spoils: { readonly [Type in EventType]?: (dice: Dice) => object } = {
  'user-message': (dice) => ({ text: dice.pick(texts) }),
  'model-replied': (dice) => ({ text: dice.pick(texts), calls: calls(dice) }),
  'model-failed': (dice) => ({
    jitter: dice.pick(numbers),
    error: { kind: 'unknown', message: dice.pick(texts), retryAfterMs: dice.pick(numbers) },
  }),
  'permission-decided': (dice) => (dice.chance(30) ? { callId: dice.pick(texts) } : {}),
  'tool-started': (dice) => (dice.chance(30) ? { callId: dice.pick(texts) } : {}),
  'tool-progressed': (dice) => (dice.chance(30) ? { callId: dice.pick(texts) } : {}),
  'tool-finished': (dice) => ({
    ...(dice.chance(30) ? { callId: dice.pick(texts) } : {}),
    outcome: dice.chance(50) ? happens.worked(dice.pick(values)) : happens.broke(dice.pick(texts)),
  }),
  'hooks-failed': (dice) => ({ jitter: dice.pick(numbers), message: dice.pick(texts) }),
  'recovery-finished': (dice) => ({ outcome: { kind: 'run-tools', calls: calls(dice) } }),
  'paging-finished': (dice) => ({ freedTokens: dice.pick(numbers) }),
  'paging-failed': (dice) => ({ jitter: dice.pick(numbers), message: dice.pick(texts) }),
  'memory-asked': (dice) => ({ key: dice.pick(texts) }),
  'phase-started': (dice) => ({ number: dice.pick(numbers), expectedMs: dice.pick(numbers) }),
  'verdict-reached': (dice) => ({ verdict: happens.verdict({ kind: 'run', calls: calls(dice) }) }),
};

function spoilt(event: Event, dice: Dice): Event {
  const at = dice.chance(30) ? dice.pick(numbers) : event.at;
  return { ...event, at, ...spoils[event.type]?.(dice) };
}

const hostile = (session: Session, dice: Dice): Event => {
  const event = plausible(session, dice);
  return dice.chance(50) ? spoilt(event, dice) : event;
};

describe('hostile values', () => {
  it('never make a step throw, nor a conversation unfit to be sent [RX-03]', () => {
    fc.assert(
      fc.property(walks({ choose: hostile, maxLength: 60 }), ({ strides, end }) => {
        for (const { after } of strides) {
          for (const action of after.actions) {
            if (action.type === 'ask-model') expect(faultsIn(action.conversation)).toEqual([]);
          }
        }
        if (isTerminal(end)) expect(faultsIn(conversationOf(end))).toEqual([]);
      }),
      { numRuns: 100 },
    );
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
  });

  it.each(numbers)('never make a retry wait for a time that never comes, with %d', (number) => {
    const happenings: readonly Happening[] = [
      happens.hooksFail('no commit', number),
      happens.pagingFails('no disk', number),
      happens.fails({}, number),
      happens.fails({ retryAfterMs: number }),
    ];
    for (const happening of happenings) {
      for (const name of sampleNames) {
        const { actions } = tell(sample(sessionOf('pawl'), name), happening);
        const untils = actions.flatMap((action) => (action.type === 'wait' ? (action.until ?? []) : []));
        expect([name, untils.filter((until) => !Number.isFinite(until))]).toEqual([name, []]);
      }
    }
  });

  it('of any type in any state never make a step throw [LOOM-70]', () => {
    for (const name of sampleNames) {
      const { session } = sample(sessionOf('pawl'), name);
      for (const type of eventTypes) {
        for (const at of numbers) {
          expect(() => step(session, { ...happens.oneOfEach[type], at })).not.toThrow();
        }
      }
    }
  });
});

describe('a value nested twenty thousand levels deep', () => {
  const deep = JSON.parse('['.repeat(20_000) + ']'.repeat(20_000)) as Json;

  it.each(profiles.map(({ name }) => name))('never makes a step of %s throw [LOOM-70]', (profile) => {
    const asked = sample(sessionOf(profile), 'callingModel, fresh');
    const asArgs = happens.replies('', { id: 'a', tool: 'read', args: deep });
    expect(() => tell(asked, asArgs, happens.finishes('a'), asArgs)).not.toThrow();
    const asOutput = happens.finishes('a', happens.worked(deep));
    expect(() => tell(asked, happens.replies('', happens.call('a')), asOutput)).not.toThrow();
  });
});

describe('a reply with two hundred calls', () => {
  it('runs and ends like any other', () => {
    const { session } = sample(sessionOf('pawl'), 'callingModel, fresh');
    const requested = Array.from({ length: 200 }, (_, index) =>
      happens.call(index % 2 === 0 ? 'same' : `${index}`),
    );
    let after = step(session, { type: 'model-replied', at: 1, text: '', calls: requested });
    const [action] = after.actions;
    const ids = action?.type === 'run-tools' ? action.calls.map(({ id }) => id) : [];
    expect(new Set(ids).size).toBe(200);
    for (const callId of ids.toReversed()) {
      after = step(after.session, { type: 'tool-finished', at: 2, callId, outcome: happens.worked() });
    }
    expect(after.session.turn.status).toBe('callingModel');
    expect(faultsIn(conversationOf(after.session))).toEqual([]);
  });
});
