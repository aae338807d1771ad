import { describe, expect, it } from 'vitest';
import { eventTypes } from '../../src/session/event.ts';
import { createSession, type Session } from '../../src/session/session.ts';
import { step } from '../../src/step.ts';
import { turnChart } from '../../src/turn/states/turn-chart.ts';
import { oracleEvents, type OracleEvent } from './xstate-oracle-events.ts';

/*
 * The chart leaves out what is the same everywhere: an event that no move is listed for changes nothing and asks to
 * wait. Here is one way into every state a session can rest in, and every event the chart has no move for there.
 */
const userMessageEvent = findOracleEvent('user-message');
const recoverVerdictEvent = findOracleEvent('verdict-reached', '"recover"');
const editedEvents = [
  userMessageEvent,
  findOracleEvent('model-replied', 'edit_file'),
  findFinishedEvent('a'),
  findFinishedEvent('b'),
];

const oracleEventsToState: Readonly<Record<string, readonly OracleEvent[]>> = {
  waitingForUser: [],
  callingModel: [userMessageEvent],
  awaitingPermission: [userMessageEvent, findOracleEvent('model-replied', '"ask"')],
  executingTools: [userMessageEvent, findOracleEvent('model-replied', '"read"')],
  postToolsHook: editedEvents,
  'errorRecovery, model': [userMessageEvent, findOracleEvent('model-failed', 'network')],
  'errorRecovery, hooks': [...editedEvents, findOracleEvent('hooks-failed')],
  'errorRecovery, paging': [findOracleEvent('paging-requested'), findOracleEvent('paging-failed')],
  'errorRecovery, stuck': [userMessageEvent, recoverVerdictEvent, findOracleEvent('model-replied', '"deny"')],
  paging: [findOracleEvent('paging-requested')],
  'halted, on request': [findOracleEvent('halt-requested')],
  'halted, by the governor': [userMessageEvent, findOracleEvent('verdict-reached', '"halt"')],
  shuttingDown: [findOracleEvent('shutdown-requested')],
};

/** The first saying of this type with this in it. */
function findOracleEvent(type: OracleEvent['type'], having = ''): OracleEvent {
  const match = oracleEvents.find((each) => each.type === type && JSON.stringify(each).includes(having));
  if (match === undefined) throw new Error(`no ${type} with ${having} is ever said`);
  return match;
}

function findFinishedEvent(callId: string): OracleEvent {
  return findOracleEvent('tool-finished', `"callId":"${callId}"`);
}

function replayOracleEvents(events: readonly OracleEvent[]): Session {
  let session = createSession({ id: 's', at: 0 });
  for (const event of events) session = stepUntimedEvent(session, event).session;
  return session;
}

function stepUntimedEvent(session: Session, event: OracleEvent) {
  return step(session, { ...event, at: session.seq + 1 });
}

function getPathState(path: string): string {
  return path.split(',', 1)[0] ?? path;
}

function isListedMove(state: string, type: string): boolean {
  return turnChart.states.some(
    ({ name, transitions }) => name === state && transitions.some((move) => move.on === type),
  );
}

/** What each of these events does that is not to be refused, in the words of the test that fails. */
function listUnrefusedEvents(session: Session, types: readonly string[]): readonly string[] {
  return oracleEvents
    .filter((event) => types.includes(event.type))
    .filter((event) => {
      const { session: after, actions, notes } = stepUntimedEvent(session, event);
      const waits = actions.length === 1 && actions[0]?.type === 'wait';
      return after !== session || !waits || notes.length !== 1 || notes[0]?.type !== 'refused';
    })
    .map((event) => JSON.stringify(event));
}

describe.each(Object.entries(oracleEventsToState))('in the state %s', (path, events) => {
  const session = replayOracleEvents(events);

  it('an event without a transition is refused: nothing changes, and the only action is to wait [LOOM-58]', () => {
    expect(session.turn.status).toBe(getPathState(path));
    const unlisted = eventTypes.filter((type) => !isListedMove(getPathState(path), type));
    expect(unlisted.length).toBeGreaterThan(5);
    expect(listUnrefusedEvents(session, unlisted)).toEqual([]);
  });
});

describe.each(
  Object.entries(oracleEventsToState).filter(([path]) => isListedMove(getPathState(path), 'pause-requested')),
)('paused in the state %s', (path, events) => {
  const session = replayOracleEvents([...events, findOracleEvent('pause-requested')]);

  it('an event without a transition, neither in paused nor in the held state, is refused [LOOM-58]', () => {
    expect(session.turn.status).toBe('paused');
    const unlisted = eventTypes.filter(
      (type) => !isListedMove('paused', type) && !isListedMove(getPathState(path), type),
    );
    expect(listUnrefusedEvents(session, [...unlisted, 'pause-requested'])).toEqual([]);
  });
});

describe('the paths above', () => {
  it('lead to every state of the chart that is not transient', () => {
    const stableStates = turnChart.states
      .filter((state) => state.kind !== 'passing')
      .map((state) => state.name);
    expect(new Set([...Object.keys(oracleEventsToState).map(getPathState), 'paused'])).toEqual(
      new Set(stableStates),
    );
  });
});
