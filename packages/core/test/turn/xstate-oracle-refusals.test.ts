import { describe, expect, it } from 'vitest';
import { eventTypes } from '../../src/event.ts';
import { createSession, type Session } from '../../src/session.ts';
import { step } from '../../src/step.ts';
import { turnChart } from '../../src/turn/chart.ts';
import { sayings, type Said } from './xstate-oracle-events.ts';

/*
 * The chart leaves out what is the same everywhere: an event that no move is listed for changes nothing and asks to
 * wait. Here is one way into every state a session can rest in, and every event the chart has no move for there.
 */
const message = said('user-message');
const stuck = said('verdict-reached', '"recover"');
const edited = [message, said('model-replied', 'edit_file'), finished('a'), finished('b')];

const ways: Readonly<Record<string, readonly Said[]>> = {
  waitingForUser: [],
  callingModel: [message],
  awaitingPermission: [message, said('model-replied', '"ask"')],
  executingTools: [message, said('model-replied', '"read"')],
  postToolsHook: edited,
  'errorRecovery, model': [message, said('model-failed', 'network')],
  'errorRecovery, hooks': [...edited, said('hooks-failed')],
  'errorRecovery, paging': [said('paging-requested'), said('paging-failed')],
  'errorRecovery, stuck': [message, stuck, said('model-replied', '"deny"')],
  paging: [said('paging-requested')],
  halted: [said('halt-requested')],
  shuttingDown: [said('shutdown-requested')],
};

/** The first saying of this type with this in it. */
function said(type: Said['type'], having = ''): Said {
  const found = sayings.find((each) => each.type === type && JSON.stringify(each).includes(having));
  if (found === undefined) throw new Error(`no ${type} with ${having} is ever said`);
  return found;
}

function finished(callId: string): Said {
  return said('tool-finished', `"callId":"${callId}"`);
}

function sessionAfter(events: readonly Said[]): Session {
  let session = createSession({ id: 's', at: 0 });
  for (const event of events) session = take(session, event).session;
  return session;
}

function take(session: Session, event: Said) {
  return step(session, { ...event, at: session.seq + 1 });
}

function stateOf(way: string): string {
  return way.split(',', 1)[0] ?? way;
}

function isListed(state: string, type: string): boolean {
  return turnChart.states.some(({ name, moves }) => name === state && moves.some((move) => move.on === type));
}

/** What each of these events does that is not to be refused, in the words of the test that fails. */
function notRefused(session: Session, types: readonly string[]): readonly string[] {
  return sayings
    .filter((event) => types.includes(event.type))
    .filter((event) => {
      const { session: after, actions, notes } = take(session, event);
      const waits = actions.length === 1 && actions[0]?.type === 'wait';
      return after !== session || !waits || notes.length !== 1 || notes[0]?.type !== 'refused';
    })
    .map((event) => JSON.stringify(event));
}

describe.each(Object.entries(ways))('in the state %s', (way, events) => {
  const session = sessionAfter(events);

  it('an event the chart has no move for is refused: nothing changes, and there is nothing to do but wait [LOOM-58]', () => {
    expect(session.turn.status).toBe(stateOf(way));
    const unlisted = eventTypes.filter((type) => !isListed(stateOf(way), type));
    expect(unlisted.length).toBeGreaterThan(5);
    expect(notRefused(session, unlisted)).toEqual([]);
  });
});

describe.each(Object.entries(ways).filter(([way]) => isListed(stateOf(way), 'pause-requested')))(
  'paused in the state %s',
  (way, events) => {
    const session = sessionAfter([...events, said('pause-requested')]);

    it('an event the chart has no move for, neither paused nor in the state held, is refused [LOOM-58]', () => {
      expect(session.turn.status).toBe('paused');
      const unlisted = eventTypes.filter(
        (type) => !isListed('paused', type) && !isListed(stateOf(way), type),
      );
      expect(notRefused(session, [...unlisted, 'pause-requested'])).toEqual([]);
    });
  },
);

describe('the ways above', () => {
  it('lead into every state of the chart that a session can rest in', () => {
    const resting = turnChart.states.filter((state) => state.kind !== 'passing').map((state) => state.name);
    expect(new Set([...Object.keys(ways).map(stateOf), 'paused'])).toEqual(new Set(resting));
  });
});
