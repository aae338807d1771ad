import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  getConversation,
  eventTypes,
  isTerminalSession,
  step,
  type Event,
  type EventType,
  type Json,
  type RequestedCall,
  type Session,
} from '../../src/index.ts';
import { builtInProfiles } from '../../src/profiles-entry.ts';
import type { SeededDice } from '../helpers/seeded-dice.ts';
import * as happens from '../helpers/event-builders.ts';
import { findConversationFaults } from '../helpers/conversation-faults.ts';
import { choosePlausibleEvent } from '../helpers/choose-plausible-event.ts';
import { createSampleRun, sampleNames } from '../helpers/sample-runs.ts';
import { createProfileSession, runEvents, type UntimedEvent } from '../helpers/run-events.ts';
import { createWalkArbitrary } from '../helpers/random-walk.ts';

const hostileNumbers = [
  Number.NaN,
  Number.POSITIVE_INFINITY,
  Number.NEGATIVE_INFINITY,
  -1,
  -0,
  0.1,
  Number.MAX_VALUE,
  Number.MIN_VALUE,
] as const;
const hostileTexts = [
  '',
  '__proto__',
  'constructor',
  'toString',
  '\uD800',
  '\uDFFF\uD83D',
  '\0',
  'a'.repeat(10_000),
] as const;
const hostileValues: readonly [Json, ...Json[]] = [
  null,
  [],
  { constructor: 1 },
  JSON.parse('{"__proto__": {"polluted": true}}') as Json,
  [[[[[]]]]],
];

function createHostileCalls(dice: SeededDice): readonly RequestedCall[] {
  const count = dice.pick([0, 1, 3, 200]);
  return Array.from({ length: count }, (_, index) => ({
    tool: dice.pick(hostileTexts),
    args: dice.pick(hostileValues),
    ...(dice.chance(70) ? { id: dice.chance(30) ? `${index}` : dice.pick(hostileTexts) } : {}),
    permission: dice.pick(['allow', 'ask', 'deny']),
  }));
}

/** Where a well-typed event has room for hostile values. */
const hostileFieldsByType: { readonly [Type in EventType]?: (dice: SeededDice) => object } = {
  'user-message': (dice) => ({ text: dice.pick(hostileTexts) }),
  'model-replied': (dice) => ({ text: dice.pick(hostileTexts), calls: createHostileCalls(dice) }),
  'model-failed': (dice) => ({
    jitter: dice.pick(hostileNumbers),
    error: { kind: 'unknown', message: dice.pick(hostileTexts), retryAfterMs: dice.pick(hostileNumbers) },
  }),
  'permission-decided': (dice) => (dice.chance(30) ? { callId: dice.pick(hostileTexts) } : {}),
  'tool-started': (dice) => (dice.chance(30) ? { callId: dice.pick(hostileTexts) } : {}),
  'tool-progressed': (dice) => (dice.chance(30) ? { callId: dice.pick(hostileTexts) } : {}),
  'tool-finished': (dice) => ({
    ...(dice.chance(30) ? { callId: dice.pick(hostileTexts) } : {}),
    outcome: dice.chance(50)
      ? happens.successOutcome(dice.pick(hostileValues))
      : happens.failureOutcome(dice.pick(hostileTexts)),
  }),
  'hooks-failed': (dice) => ({ jitter: dice.pick(hostileNumbers), message: dice.pick(hostileTexts) }),
  'recovery-finished': (dice) => ({ outcome: { kind: 'run-tools', calls: createHostileCalls(dice) } }),
  'paging-finished': (dice) => ({ freedTokens: dice.pick(hostileNumbers) }),
  'paging-failed': (dice) => ({ jitter: dice.pick(hostileNumbers), message: dice.pick(hostileTexts) }),
  'memory-command-requested': (dice) => ({ key: dice.pick(hostileTexts) }),
  'phase-started': (dice) => ({ number: dice.pick(hostileNumbers), expectedMs: dice.pick(hostileNumbers) }),
  'verdict-reached': (dice) => ({
    verdict: happens.createTestVerdict({ kind: 'run', calls: createHostileCalls(dice) }),
  }),
};

function spoilEvent(event: Event, dice: SeededDice): Event {
  const at = dice.chance(30) ? dice.pick(hostileNumbers) : event.at;
  return { ...event, at, ...hostileFieldsByType[event.type]?.(dice) };
}

const chooseHostileEvent = (session: Session, dice: SeededDice): Event => {
  const event = choosePlausibleEvent(session, dice);
  return dice.chance(50) ? spoilEvent(event, dice) : event;
};

describe('hostile values', () => {
  it('never make a step throw or a conversation invalid [RX-03]', () => {
    fc.assert(
      fc.property(createWalkArbitrary({ choose: chooseHostileEvent, maxLength: 60 }), ({ steps, end }) => {
        for (const { after } of steps) {
          for (const action of after.actions) {
            if (action.type === 'ask-model') expect(findConversationFaults(action.conversation)).toEqual([]);
          }
        }
        if (isTerminalSession(end)) expect(findConversationFaults(getConversation(end))).toEqual([]);
      }),
      { numRuns: 100 },
    );
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
  });

  it.each(hostileNumbers)('never schedule a retry at an invalid time, with %d', (number) => {
    const events: readonly UntimedEvent[] = [
      happens.hooksFailed('no commit', number),
      happens.pagingFailed('no disk', number),
      happens.modelFailed({}, number),
      happens.modelFailed({ retryAfterMs: number }),
    ];
    for (const event of events) {
      for (const name of sampleNames) {
        const { actions } = runEvents(createSampleRun(createProfileSession('pawl'), name), event);
        const untils = actions.flatMap((action) => (action.type === 'wait' ? (action.until ?? []) : []));
        expect([name, untils.filter((until) => !Number.isFinite(until))]).toEqual([name, []]);
      }
    }
  });

  it('of any type in any state never make a step throw [LOOM-70]', () => {
    for (const name of sampleNames) {
      const { session } = createSampleRun(createProfileSession('pawl'), name);
      for (const type of eventTypes) {
        for (const at of hostileNumbers) {
          expect(() => step(session, { ...happens.eventSamples[type], at })).not.toThrow();
        }
      }
    }
  });
});

describe('a value nested twenty thousand levels deep', () => {
  const deep = JSON.parse('['.repeat(20_000) + ']'.repeat(20_000)) as Json;

  it.each(builtInProfiles.map(({ name }) => name))('never makes a step of %s throw [LOOM-70]', (profile) => {
    const calling = createSampleRun(createProfileSession(profile), 'callingModel, fresh');
    const asArgs = happens.modelReplied('', { id: 'a', tool: 'read', args: deep });
    expect(() => runEvents(calling, asArgs, happens.toolFinished('a'), asArgs)).not.toThrow();
    const asOutput = happens.toolFinished('a', happens.successOutcome(deep));
    expect(() =>
      runEvents(calling, happens.modelReplied('', happens.createCall('a')), asOutput),
    ).not.toThrow();
  });
});

describe('a reply with two hundred calls', () => {
  it('runs and ends like any other', () => {
    const { session } = createSampleRun(createProfileSession('pawl'), 'callingModel, fresh');
    const requested = Array.from({ length: 200 }, (_, index) =>
      happens.createCall(index % 2 === 0 ? 'same' : `${index}`),
    );
    let after = step(session, { type: 'model-replied', at: 1, text: '', calls: requested });
    const [action] = after.actions;
    const ids = action?.type === 'run-tools' ? action.calls.map(({ id }) => id) : [];
    expect(new Set(ids).size).toBe(200);
    for (const callId of ids.toReversed()) {
      after = step(after.session, {
        type: 'tool-finished',
        at: 2,
        callId,
        outcome: happens.successOutcome(),
      });
    }
    expect(after.session.turn.status).toBe('callingModel');
    expect(findConversationFaults(getConversation(after.session))).toEqual([]);
  });
});
