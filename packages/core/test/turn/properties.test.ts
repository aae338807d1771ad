import { isDeepStrictEqual } from 'node:util';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  toItemArray,
  getConversation,
  createSession,
  toDurableSession,
  eventTypes,
  isEphemeralEvent,
  acceptsUserMessage,
  isTerminalSession,
  replay,
  step,
  getUnpausedTurn,
  type ActionType,
  type TurnStatus,
  type SessionStep,
} from '../../src/index.ts';
import { builtInProfiles } from '../../src/profiles-entry.ts';
import { deepFreeze } from '../../../governor/test/helpers/deep-freeze.ts';
import { findConversationFaults } from '../helpers/conversation-faults.ts';
import { chooseStubbornEvent } from '../helpers/choose-plausible-event.ts';
import { getRefusalReason } from '../helpers/run-events.ts';
import {
  listDurableEvents,
  createWalkArbitrary,
  replayWithoutEphemeral,
  type WalkStep,
  type RandomWalk,
} from '../helpers/random-walk.ts';

const propertyOptions = { numRuns: 150 };

/** Walks of all kinds, one in four with a governor that has something to say. */
const manyWalks = fc.oneof(
  { weight: 3, arbitrary: createWalkArbitrary() },
  { weight: 1, arbitrary: createWalkArbitrary({ profile: 'pawl', choose: chooseStubbornEvent }) },
);

/** Says something about every step of many walks. */
function assertEveryStep(claim: (stride: WalkStep) => void): void {
  fc.assert(
    fc.property(manyWalks, ({ steps }) => steps.forEach((walkStep) => claim(walkStep))),
    propertyOptions,
  );
}

function assertEveryWalk(claim: (walk: RandomWalk) => void): void {
  fc.assert(fc.property(manyWalks, claim), propertyOptions);
}

/** Room was made by putting the older part of the conversation on the shelf, where the profile does that. */
function wasCompacted({ before, event, after }: WalkStep): boolean {
  return before.settings.compact && event.type === 'paging-finished' && getRefusalReason(after) === undefined;
}

const roundTripValue = <Value>(value: Value): Value => JSON.parse(JSON.stringify(value)) as Value;

/** Node compares many times faster; what it finds to differ is told as tests tell it. */
function expectSame(value: unknown, expected: unknown): void {
  if (!isDeepStrictEqual(value, expected)) expect(value).toStrictEqual(expected);
}

const isRepeatedShutdown = ({ before, event }: WalkStep): boolean =>
  before.turn.status === 'shuttingDown' && event.type === 'shutdown-requested';

describe('start and end', () => {
  it('starts waiting for the user, whatever the settings [LOOM-99, LOOM-81, LOOM-18]', () => {
    fc.assert(
      fc.property(
        fc.string(),
        fc.integer(),
        fc.constantFrom(...builtInProfiles),
        (id, at, { name, settings }) => {
          const session = createSession({ id, at, profile: name, settings });
          expect(session.turn).toMatchObject({ status: 'waitingForUser', since: at });
          expect(session.seq).toBe(0);
        },
      ),
    );
  });

  it('shuts down from every reachable state [LOOM-101, LOOM-57, LOOM-84, LOOM-66]', () => {
    assertEveryStep(({ after, event }) => {
      const { session, actions } = step(after.session, { type: 'shutdown-requested', at: event.at });
      expect(session.turn.status).toBe('shuttingDown');
      expect(actions).toEqual([{ type: 'shut-down' }]);
    });
  });

  it('is inert once it has ended: only a shutdown or an accepted message changes anything [LOOM-29, LOOM-85, RO-06, NEX-55]', () => {
    assertEveryStep(({ before, event, after }) => {
      if (!isTerminalSession(before)) return;
      const isMessage =
        event.type === 'steered' || (event.type === 'user-message' && event.automatic !== true);
      if (isMessage && acceptsUserMessage(before))
        return expect(after.session.turn.status).not.toBe('halted');
      if (event.type === 'shutdown-requested') return expect(after.session.turn.status).toBe('shuttingDown');
      expect(after.session).toBe(before);
      expect(after.actions).toEqual([{ type: 'wait', until: null }]);
    });
  });
});

describe('retries', () => {
  it('never exceed the maximum [LOOM-100, LOOM-48, LOOM-05]', () => {
    assertEveryStep(({ after: { session, actions } }) => {
      const most = Math.max(0, session.settings.maxRetries - 1);
      const turn = getUnpausedTurn(session.turn);
      if ('retries' in turn) expect(turn.retries).toBeLessThanOrEqual(most);
      for (const action of actions) {
        if (action.type === 'ask-model') expect(action.attempt).toBeLessThanOrEqual(most + 1);
        if (action.type === 'recover')
          expect(action.attempt).toBeLessThanOrEqual(session.settings.maxRecoveries);
      }
    });
  });
});

describe('determinism', () => {
  it('returns the same step again, also after a JSON round trip of session and event [LOOM-73, LOOM-68]', () => {
    assertEveryStep(({ before, event, after }) => {
      expectSame(roundTripValue(after), after);
      expectSame(step(roundTripValue(before), roundTripValue(event)), after);
    });
  });

  it('replays the log of accepted events to the very same session, actions and notes [LOOM-73, RX-07]', () => {
    fc.assert(
      fc.property(manyWalks.map(replayWithoutEphemeral), (walk) => {
        const retained = walk.steps.filter(({ before, after }) => after.session.seq !== before.seq);
        let session = walk.start;
        const repeated: SessionStep[] = [];
        for (const event of listDurableEvents(walk)) {
          const after = step(session, event);
          repeated.push(after);
          session = after.session;
        }
        expectSame(
          repeated,
          retained.map(({ after }) => after),
        );
        expectSame(session, walk.end);
      }),
      propertyOptions,
    );
  });

  it('reaches the same durable session without ephemeral events', () => {
    assertEveryWalk((walk) => {
      expectSame(toDurableSession(replay(walk.start, listDurableEvents(walk))), toDurableSession(walk.end));
    });
  });

  it('counts each accepted durable event', () => {
    assertEveryStep((walkStep) => {
      const { before, event, after } = walkStep;
      const isReset = before.settings.onInvalidEvent === 'reset' && after.session !== before;
      const isTaken = getRefusalReason(after) === undefined || isReset;
      const counts = isTaken && !isEphemeralEvent(event) && !isRepeatedShutdown(walkStep);
      expect(after.session.seq).toBe(before.seq + (counts ? 1 : 0));
    });
  });

  it('mutates none of its inputs [LOOM-08, LOOM-76]', () => {
    assertEveryStep(({ before, event, after }) => {
      expectSame(step(deepFreeze(before), deepFreeze(event)), after);
    });
  });

  it('returns the identical session when it refuses an event [LOOM-58, LOOM-72]', () => {
    assertEveryStep(({ before, after }) => {
      if (getRefusalReason(after) === undefined || before.settings.onInvalidEvent === 'reset') return;
      expect(after.session).toBe(before);
    });
  });
});

describe('the conversation', () => {
  it('is valid whenever the model is called, and whenever no work is in progress [LOOM-80]', () => {
    assertEveryStep(({ after: { session, actions } }) => {
      for (const action of actions) {
        if (action.type === 'ask-model') expect(findConversationFaults(action.conversation)).toEqual([]);
      }
      if (session.turn.status === 'waitingForUser' || isTerminalSession(session))
        expect(findConversationFaults(getConversation(session))).toEqual([]);
    });
  });

  it('ends with exactly one result for every call that was run or needed permission [LOOM-79]', () => {
    // The ids that a walk gives to calls are unique in all of it; those that the machine makes are so in a reply.
    assertEveryWalk(({ steps, end }) => {
      if (steps.some(wasCompacted)) return;
      const closed = step(end, { type: 'shutdown-requested', at: 0 }).session;
      const results = toItemArray(getConversation(closed)).filter((message) => message.role === 'tool');
      const requestedCalls = steps
        .flatMap(({ after }) => after.actions)
        .flatMap((action) =>
          action.type === 'run-tools' || action.type === 'ask-permission' ? action.calls : [],
        );
      for (const call of requestedCalls.filter(({ id }) => !id.startsWith('call_'))) {
        expect(results.filter((result) => result.callId === call.id)).toHaveLength(1);
      }
      expect(findConversationFaults(getConversation(closed))).toEqual([]);
    });
  });

  it('only grows, except for compaction [LOOM-19, LOOM-76]', () => {
    assertEveryStep((walkStep) => {
      if (wasCompacted(walkStep)) return;
      const { before, after } = walkStep;
      const earlier = toItemArray(getConversation(before));
      const later = toItemArray(getConversation(after.session));
      expectSame(later.slice(0, earlier.length), earlier);
    });
  });
});

describe('time', () => {
  it('is that of the event: for the state it led to and for the messages it added [RO-11, RX-07]', () => {
    assertEveryStep(({ before, event, after: { session, notes } }) => {
      const added = toItemArray(getConversation(session)).slice(getConversation(before).length);
      for (const message of added) expect(message.at).toBe(event.at);
      const [from, to] = [before.turn, session.turn].map((turn) => getUnpausedTurn(turn));
      if (from?.status !== to?.status) expect(to?.since).toBe(event.at);
      if (notes.some(({ type }) => type === 'transition')) expect(session.turn.since).toBe(event.at);
    });
  });
});

describe('notes', () => {
  it('record every status change as one unbroken chain, each with its cause and time [LOOM-87, NEX-119]', () => {
    assertEveryStep(({ before, event, after }) => {
      const transition = after.notes.filter((note) => note.type === 'transition');
      const statuses = transition.flatMap(({ from, to }) => [from, to]);
      const links = [before.turn.status, ...statuses, after.session.turn.status];
      for (let index = 0; index < links.length; index += 2) expect(links[index]).toBe(links[index + 1]);
      // Where the governor ends the work because of an event, its verdict is the cause.
      const isJudged = after.notes.some(({ type }) => type === 'verdict');
      const causes = isJudged ? [event.type, 'verdict-reached'] : [event.type];
      for (const { at, cause } of transition) expect([at, causes.includes(cause)]).toEqual([event.at, true]);
      for (const note of transition) expect(note.durationMs).toBeGreaterThanOrEqual(0);
    });
  });
});

describe('the random walks', () => {
  it('cover every event type, every action type and every state [LOOM-94, LOOM-95, LOOM-96]', () => {
    const events = new Set<string>();
    const actions = new Set<string>();
    const statuses = new Set<string>();
    assertEveryStep(({ event, after }) => {
      if (getRefusalReason(after) === undefined) events.add(event.type);
      for (const action of after.actions) actions.add(action.type);
      for (const note of after.notes) if (note.type === 'transition') statuses.add(note.to);
    });
    // A session without working memory has nothing to be asked about there.
    const meaningful = eventTypes.filter((type) => type !== 'memory-command-requested');
    expect([...events].toSorted()).toEqual(meaningful.toSorted());
    expect([...actions].toSorted()).toEqual(Object.keys(everyAction).toSorted());
    expect([...statuses].toSorted()).toEqual(Object.keys(everyStatus).toSorted());
  });
});

/** All but `store`, which a session without working memory never asks for. */
const everyAction: { readonly [Type in Exclude<ActionType, 'store'>]: true } = {
  'ask-model': true,
  'ask-permission': true,
  'run-tools': true,
  'run-hooks': true,
  'page-memory': true,
  recover: true,
  wait: true,
  'show-text': true,
  'show-error': true,
  abort: true,
  stop: true,
  'shut-down': true,
};

const everyStatus: { readonly [Status in TurnStatus]: true } = {
  waitingForUser: true,
  callingModel: true,
  processingResponse: true,
  awaitingPermission: true,
  executingTools: true,
  postToolsHook: true,
  progressCheck: true,
  phaseTransition: true,
  errorRecovery: true,
  paging: true,
  paused: true,
  halted: true,
  shuttingDown: true,
};
