import { getAdjacencyMap } from 'xstate/graph';
import type { Event } from '../../src/session/event.ts';
import { createMemory, putEntry } from '../../src/memory/memory.ts';
import { memorySettings } from '../../src/memory/settings.ts';
import { createSession, type Session } from '../../src/session/session.ts';
import type { SessionSettings } from '../../src/session/settings.ts';
import { step } from '../../src/step.ts';
import { turnChart } from '../../src/turn/states/turn-chart.ts';
import type { SessionStep } from '../../src/session/session-step.ts';
import type { HeldOracleState } from './xstate-oracle-context.ts';
import { oracleEvents, type OracleEvent } from './xstate-oracle-events.ts';
import { getStateName, createOracle, type OracleSnapshot } from './xstate-oracle-machine.ts';

/** Everywhere XState's own graph search gets to by the exported chart, in the order in which it gets there. */
type OracleGraph = ReadonlyMap<
  string,
  { readonly state: OracleSnapshot; readonly ways: readonly OracleEdge[] }
>;
type OracleEdge = { readonly event: OracleEvent; readonly state: OracleSnapshot };

/** How far a walk has come: the session `step` made of its events, and the request answers are given under. */
export type WalkPosition = {
  readonly session: Session;
  readonly request: number | null;
  readonly events: { readonly before: WalkPosition['events']; readonly last: OracleEvent } | null;
};

/** One event of a walk: what the oracle makes of it, and what `step` does. */
export type OracleStep = {
  readonly before: OracleSnapshot;
  readonly event: OracleEvent;
  readonly after: OracleSnapshot;
  readonly from: WalkPosition;
  readonly result: SessionStep;
  /** The session that first came to where this one comes now. */
  readonly first: Session;
};

/** `together` is how many complications may come together in a place that is gone on from; it keeps the graph finite. */
export function buildOracleGraph(settings: SessionSettings, together: number): OracleGraph {
  const stopWhen = (snapshot: OracleSnapshot): boolean => countComplications(snapshot) > together;
  const options = {
    events: oracleEvents,
    filterEvents: isApplicableEvent,
    stopWhen,
    serializeState: getSnapshotKey,
  };
  const match = getAdjacencyMap(createOracle(turnChart, settings), options);
  const positions: [string, (typeof match)[keyof typeof match]][] = Object.entries(match);
  return new Map(
    positions.map(([key, { state, transitions }]) => [key, { state, ways: Object.values(transitions) }]),
  );
}

/** Every event in every place of the graph; each place is reached on a shortest path. */
export function* iterateOraclePaths(graph: OracleGraph, settings: SessionSettings): Generator<OracleStep> {
  const positions = new Map<string, WalkPosition>();
  for (const [key, { state: before, ways }] of graph) {
    const from = positions.get(key) ?? createWalkPosition(settings);
    for (const { event, state: after } of ways) {
      const { position, sessionStep: result } = playOracleEvent(from, event);
      const reached = positions.get(getSnapshotKey(after)) ?? position;
      positions.set(getSnapshotKey(after), reached);
      yield { before, event, after, from, result, first: reached.session };
    }
  }
}

/** The result of `step` for the same event as an answer to an outdated request. */
export function stepLateAnswer({ from: { session }, event }: OracleStep): SessionStep {
  return step(session, toTimedEvent(event, session, session.seq + 1_000));
}

export function isAnswerType({ type }: OracleEvent): boolean {
  return answerTypes.has(type);
}

const answerTypes: ReadonlySet<string> = new Set([
  'text-delta',
  'call-delta',
  'model-replied',
  'model-failed',
  'permission-decided',
  'tool-started',
  'tool-progressed',
  'tool-finished',
  'hooks-finished',
  'hooks-failed',
  'retry-due',
  'recovery-finished',
  'paging-finished',
  'paging-failed',
]);

function createWalkPosition(settings: SessionSettings): WalkPosition {
  return { session: createSession({ id: 's', at: 0, settings }), request: null, events: null };
}

function playOracleEvent(
  { session, request, events }: WalkPosition,
  oracleEvent: OracleEvent,
): { readonly position: WalkPosition; readonly sessionStep: SessionStep } {
  const result = stepOracleEvent(session, oracleEvent, request);
  const next = result.session === session ? request : getNextRequest(result, request);
  return {
    sessionStep: result,
    position: { session: result.session, request: next, events: { before: events, last: oracleEvent } },
  };
}

/** The caller learns the number of a request from the action that makes it; a pause hides the actions of the held turn. */
function getNextRequest({ session, actions }: SessionStep, request: number | null): number | null {
  if (session.turn.status === 'paused') return null;
  const startedAction = actions.findLast((action) => 'request' in action && action.type !== 'abort');
  return startedAction !== undefined && 'request' in startedAction ? startedAction.request : request;
}

function toTimedEvent(oracleEvent: OracleEvent, { seq }: Session, request: number | null): Event {
  const at = (seq + 1) * 1_000;
  return (request === null ? { ...oracleEvent, at } : { ...oracleEvent, at, request }) as Event;
}

/** There is memory only when it is asked for: the oracle knows nothing of it, and without it all else is quicker. */
function stepOracleEvent(session: Session, oracleEvent: OracleEvent, request: number | null): SessionStep {
  const event = toTimedEvent(oracleEvent, session, request);
  if (oracleEvent.type !== 'memory-command-requested') return step(session, event);
  const remembering = {
    ...session,
    memory: putEntry(createMemory(memorySettings.pawl), { key: oracleEvent.key, value: 1, at: 0 }),
  };
  const result = step(remembering, event);
  return {
    ...result,
    session: result.session === remembering ? session : { ...result.session, memory: null },
  };
}

/** Two snapshots with the same key have the same future. How they came about is no part of it. */
function getSnapshotKey(snapshot: OracleSnapshot): string {
  const { value, context } = snapshot;
  const key = snapshotKeys.get(snapshot) ?? JSON.stringify({ value, context: { ...context, trace: [] } });
  snapshotKeys.set(snapshot, key);
  return key;
}

const snapshotKeys = new WeakMap<OracleSnapshot, string>();

/**
 * Answers about calls are only said about calls that wait for them, since a chart has no word for the others. Of the
 * events that a state has no move for, one of each type will do.
 */
function isApplicableEvent(snapshot: OracleSnapshot, event: OracleEvent): boolean {
  const { value, context } = getActiveState(snapshot);
  const isCall = (...states: readonly string[]) =>
    'callId' in event && context.calls.some((call) => call.id === event.callId && states.includes(call.is));
  if (!listedMoves.has(`${value} ${event.type}`)) return firstEventsByType.has(event);
  switch (event.type) {
    case 'permission-decided':
      return isCall('undecided');
    case 'tool-started':
      return isCall('allowed');
    case 'tool-progressed':
    case 'tool-finished':
      return isCall('allowed', 'running');
    default:
      return true;
  }
}

const listedMoves = new Set(
  turnChart.states.flatMap(({ name, transitions }) => transitions.map((move) => `${name} ${move.on}`)),
);
const firstEventsByType = new Set(
  new Map(oracleEvents.toReversed().map((oracleEvent) => [oracleEvent.type, oracleEvent])).values(),
);

function countComplications(snapshot: OracleSnapshot): number {
  const { agenda, calls, failures, modelFailures, recoveries } = getActiveState(snapshot).context;
  const complications = [
    snapshot.context.held !== null,
    calls.length > 1,
    failures + modelFailures > 0,
    recoveries > 0,
    agenda.verdict !== null,
    agenda.finish !== null,
    agenda.hasSteering,
  ];
  return agenda.changes + complications.filter(Boolean).length;
}

/** The state that takes events: while paused, the one held. */
function getActiveState({ value, context }: OracleSnapshot): HeldOracleState {
  return context.held ?? { value: getStateName(value), context };
}
