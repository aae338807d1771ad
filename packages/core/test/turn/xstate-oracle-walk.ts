import { getAdjacencyMap } from 'xstate/graph';
import type { Event } from '../../src/event.ts';
import { emptyMemory, put } from '../../src/memory/memory.ts';
import { memorySettings } from '../../src/memory/settings.ts';
import { createSession, type Session } from '../../src/session.ts';
import type { Settings } from '../../src/settings.ts';
import { step } from '../../src/step.ts';
import { turnChart } from '../../src/turn/chart.ts';
import type { Step } from '../../src/turn/move.ts';
import type { Held } from './xstate-oracle-context.ts';
import { sayings, type Said } from './xstate-oracle-events.ts';
import { nameOf, oracleFor, type OracleSnapshot } from './xstate-oracle-machine.ts';

/** Everywhere XState's own graph search gets to by the exported chart, in the order in which it gets there. */
type Graph = ReadonlyMap<string, { readonly state: OracleSnapshot; readonly ways: readonly Way[] }>;
type Way = { readonly event: Said; readonly state: OracleSnapshot };

/** How far a walk has come: the session `step` made of its events, and the request answers are given under. */
export type Place = {
  readonly session: Session;
  readonly request: number | null;
  readonly events: { readonly before: Place['events']; readonly last: Said } | null;
};

/** One event of a walk: what the oracle makes of it, and what `step` does. */
export type Walked = {
  readonly before: OracleSnapshot;
  readonly event: Said;
  readonly after: OracleSnapshot;
  readonly from: Place;
  readonly taken: Step;
  /** The session that first came to where this one comes now. */
  readonly first: Session;
};

/** `together` is how many complications may come together in a place that is gone on from; it keeps the graph finite. */
export function graphFor(settings: Settings, together: number): Graph {
  const stopWhen = (snapshot: OracleSnapshot): boolean => complicationsIn(snapshot) > together;
  const options = { events: sayings, filterEvents: fits, stopWhen, serializeState: keyOf };
  const found = getAdjacencyMap(oracleFor(turnChart, settings), options);
  const places: [string, (typeof found)[keyof typeof found]][] = Object.entries(found);
  return new Map(
    places.map(([key, { state, transitions }]) => [key, { state, ways: Object.values(transitions) }]),
  );
}

/** Every event in every place of the graph; each place is reached on a shortest path. */
export function* everyPath(graph: Graph, settings: Settings): Generator<Walked> {
  const places = new Map<string, Place>();
  for (const [key, { state: before, ways }] of graph) {
    const from = places.get(key) ?? start(settings);
    for (const { event, state: after } of ways) {
      const { place, taken } = play(from, event);
      const reached = places.get(keyOf(after)) ?? place;
      places.set(keyOf(after), reached);
      yield { before, event, after, from, taken, first: reached.session };
    }
  }
}

/** What `step` makes of the same event when it answers a request that nobody waits for. */
export function lateAnswer({ from: { session }, event }: Walked): Step {
  return step(session, toEvent(event, session, session.seq + 1_000));
}

export function isAnswer({ type }: Said): boolean {
  return answers.has(type);
}

const answers: ReadonlySet<string> = new Set([
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

function start(settings: Settings): Place {
  return { session: createSession({ id: 's', at: 0, settings }), request: null, events: null };
}

function play(
  { session, request, events }: Place,
  said: Said,
): { readonly place: Place; readonly taken: Step } {
  const taken = take(session, said, request);
  const next = taken.session === session ? request : requestAfter(taken, request);
  return { taken, place: { session: taken.session, request: next, events: { before: events, last: said } } };
}

/** The caller learns the number of a request from the action that makes it; what goes on under a pause it is not told. */
function requestAfter({ session, actions }: Step, request: number | null): number | null {
  if (session.turn.status === 'paused') return null;
  const begun = actions.findLast((action) => 'request' in action && action.type !== 'abort');
  return begun !== undefined && 'request' in begun ? begun.request : request;
}

function toEvent(said: Said, { seq }: Session, request: number | null): Event {
  const at = (seq + 1) * 1_000;
  return (request === null ? { ...said, at } : { ...said, at, request }) as Event;
}

/** There is memory only when it is asked for: the oracle knows nothing of it, and without it all else is quicker. */
function take(session: Session, said: Said, request: number | null): Step {
  const event = toEvent(said, session, request);
  if (said.type !== 'memory-asked') return step(session, event);
  const remembering = {
    ...session,
    memory: put(emptyMemory(memorySettings.pawl), { key: said.key, value: 1, at: 0 }),
  };
  const taken = step(remembering, event);
  return { ...taken, session: taken.session === remembering ? session : { ...taken.session, memory: null } };
}

/** Two snapshots with the same key have the same future. How they came about is no part of it. */
function keyOf(snapshot: OracleSnapshot): string {
  const { value, context } = snapshot;
  const key = keys.get(snapshot) ?? JSON.stringify({ value, context: { ...context, trace: [] } });
  keys.set(snapshot, key);
  return key;
}

const keys = new WeakMap<OracleSnapshot, string>();

/**
 * Answers about calls are only said about calls that wait for them, since a chart has no word for the others. Of the
 * events that a state has no move for, one of each type will do.
 */
function fits(snapshot: OracleSnapshot, event: Said): boolean {
  const { value, context } = working(snapshot);
  const isCall = (...states: readonly string[]) =>
    'callId' in event && context.calls.some((call) => call.id === event.callId && states.includes(call.is));
  if (!listed.has(`${value} ${event.type}`)) return firstOfTheirType.has(event);
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

const listed = new Set(
  turnChart.states.flatMap(({ name, moves }) => moves.map((move) => `${name} ${move.on}`)),
);
const firstOfTheirType = new Set(new Map(sayings.toReversed().map((said) => [said.type, said])).values());

function complicationsIn(snapshot: OracleSnapshot): number {
  const { agenda, calls, failures, modelFailures, recoveries } = working(snapshot).context;
  const complications = [
    snapshot.context.held !== null,
    calls.length > 1,
    failures + modelFailures > 0,
    recoveries > 0,
    agenda.verdict !== null,
    agenda.finish !== null,
    agenda.said,
  ];
  return agenda.changes + complications.filter(Boolean).length;
}

/** The state that takes events: while paused, the one held. */
function working({ value, context }: OracleSnapshot): Held {
  return context.held ?? { value: nameOf(value), context };
}
