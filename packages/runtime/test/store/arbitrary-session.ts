import {
  createSession,
  eventTypes,
  step,
  getUnpausedTurn,
  type Event,
  type EventType,
  type Session,
  type TurnStatus,
} from '@pawl/core';
import { builtInProfiles } from '@pawl/core/profiles';
import * as fc from 'fast-check';
import { eventExamples } from '../../src/schema/events.ts';

/** Something an agent may have done: where it began, the events that the machine counted, and where they led. */
export type RandomSession = {
  readonly start: Session;
  readonly log: readonly Event[];
  readonly end: Session;
};

/** Work of any profile. Most events fit the state at hand, and some are only for showing. */
export function arbitrarySession(lengthMax: number): fc.Arbitrary<RandomSession> {
  const throws = fc.array(fc.nat(99_999), { minLength: 1, maxLength: lengthMax, size: 'max' });
  return fc.tuple(fc.constantFrom(...builtInProfiles), throws).map(([{ name, settings }, numbers]) => {
    const start = createSession({ id: 'walk', at: 0, profile: name, settings, totalPhases: 3 });
    const log: Event[] = [];
    let end = start;
    for (const number of numbers) {
      const event = selectNextEvent(end, number);
      const { session } = step(end, event);
      if (session.seq > end.seq) log.push(event);
      end = session;
    }
    return { start, log, end };
  });
}

const eventsByStatus: { readonly [Status in TurnStatus]?: readonly EventType[] } = {
  waitingForUser: ['user-message', 'user-message', 'phase-started', 'phase-completed', 'paging-requested'],
  callingModel: ['text-delta', 'model-replied', 'model-replied', 'model-replied', 'model-failed'],
  awaitingPermission: ['permission-decided'],
  executingTools: ['tool-started', 'tool-progressed', 'tool-finished', 'tool-finished'],
  postToolsHook: ['hooks-finished', 'hooks-failed'],
  errorRecovery: ['retry-due', 'recovery-finished'],
  paging: ['paging-finished', 'paging-failed'],
  paused: ['resume-requested', 'tool-finished', 'model-replied'],
};

function selectNextEvent({ turn, seq }: Session, number: number): Event {
  const fits = eventsByStatus[turn.status] ?? eventTypes;
  const types = number % 10 < 8 ? fits : eventTypes;
  const index = Math.floor(number / 10);
  const type = types[index % types.length] ?? 'user-message';
  // Ends are rare, so that the work is long; an answer without a number is meant for the work at hand.
  const isEnd = (type === 'halt-requested' || type === 'shutdown-requested') && index % 7 > 0;
  const { request: _, ...example } = { request: 0, ...eventExamples[isEnd ? 'pause-requested' : type] };
  const at = turn.since + (index % 3_000);
  if (type === 'model-replied')
    return { ...example, type, at, text: `reply ${seq}`, calls: createRandomCalls(seq, index) };
  return { ...example, at, ...('callId' in example && { callId: findOpenCall(turn, index) }) };
}

function createRandomCalls(seq: number, index: number): (typeof eventExamples)['model-replied']['calls'] {
  return Array.from({ length: index % 4 }, (_, place) => ({
    id: `c${seq}.${place}`,
    tool: index % 5 === 0 ? 'edit' : 'read',
    args: { path: `${index % 3}.txt` },
    permission: index % 6 === 0 ? 'ask' : 'allow',
  }));
}

function findOpenCall(turn: Session['turn'], index: number): string {
  const held = getUnpausedTurn(turn);
  const open =
    held.status === 'executingTools'
      ? held.executions.filter(({ status }) => status !== 'completed')
      : held.status === 'awaitingPermission'
        ? held.calls.filter(({ decision }) => decision === 'pending')
        : [];
  return open[index % Math.max(1, open.length)]?.call.id ?? 'none';
}
