import { getUnpausedTurn, type Session } from '../../src/index.ts';
import {
  finishRequested,
  pagingRequested,
  createCall,
  modelFailed,
  toolFinished,
  haltRequested,
  hooksFailed,
  verdictReached,
  contextOverflowed,
  pagingFailed,
  pauseRequested,
  modelReplied,
  userMessage,
  shutdownRequested,
  toolStarted,
  phaseStarted,
  textDelta,
} from './event-builders.ts';
import { runEvents, type UntimedEvent, type EventRun } from './run-events.ts';

const twoCalls = modelReplied('', createCall('a'), createCall('b'));
const editingEvents = [modelReplied('', createCall('a', 'bash')), toolFinished('a')];

/** What happens to a session that is waiting until it is in the state of that name. */
const eventsByState = {
  waitingForUser: [],
  'callingModel, fresh': [userMessage()],
  'callingModel, streaming': [userMessage(), textDelta()],
  'callingModel, finishing': [userMessage(), finishRequested(), modelReplied('', createCall('a'))],
  'callingModel, with an agenda': [userMessage(), phaseStarted(2)],
  'awaitingPermission, two open': [
    userMessage(),
    modelReplied('', createCall('a', 'bash', 'ask'), createCall('b', 'read', 'ask'), createCall('c')),
  ],
  'awaitingPermission, one open': [
    userMessage(),
    modelReplied('', createCall('a', 'bash', 'ask'), createCall('c')),
  ],
  'executingTools, pending': [userMessage(), twoCalls],
  'executingTools, running': [userMessage(), twoCalls, toolStarted('a'), toolStarted('b')],
  'executingTools, one left': [userMessage(), twoCalls, toolStarted('a'), toolFinished('b')],
  postToolsHook: [userMessage(), ...editingEvents],
  'errorRecovery, model': [userMessage(), modelFailed()],
  'errorRecovery, tool': [
    userMessage(),
    modelReplied('', createCall('a')),
    verdictReached('recover'),
    toolFinished('a'),
  ],
  'errorRecovery, hooks': [userMessage(), ...editingEvents, hooksFailed()],
  'errorRecovery, paging': [userMessage(), contextOverflowed(), pagingFailed()],
  'paging, for the model': [userMessage(), contextOverflowed()],
  'paging, for the user': [pagingRequested()],
} satisfies Record<string, readonly UntimedEvent[]>;

export type PausableStateName = keyof typeof eventsByState;
export type EndedStateName = 'halted, on request' | 'halted, by the governor' | 'shuttingDown';
export type SampleName = PausableStateName | `paused, ${PausableStateName}` | EndedStateName;

export const pausableStateNames: readonly PausableStateName[] = Object.keys(
  eventsByState,
) as PausableStateName[];
export const endedStateNames: readonly EndedStateName[] = [
  'halted, on request',
  'halted, by the governor',
  'shuttingDown',
];
export const sampleNames: readonly SampleName[] = [
  ...pausableStateNames,
  ...pausableStateNames.map((name) => `paused, ${name}` as const),
  ...endedStateNames,
];

/** A session in the state of that name, reached by events alone from one that has waited, worked and waits again. */
export function createSampleRun(start: Session, name: SampleName): EventRun {
  const started = runEvents(start, userMessage('first'), modelReplied('first answer'));
  if (name === 'halted, on request') return runEvents(started, userMessage(), haltRequested());
  if (name === 'halted, by the governor') return runEvents(started, userMessage(), verdictReached('halt'));
  if (name === 'shuttingDown') return runEvents(started, userMessage(), shutdownRequested());
  const isPaused = name.startsWith('paused, ');
  const held = (isPaused ? name.slice('paused, '.length) : name) as PausableStateName;
  const run = runEvents(started, ...eventsByState[held]);
  return isPaused ? runEvents(run, pauseRequested()) : run;
}

/** The number of the request under way; 0, which no request has, when there is none. */
export function getCurrentRequest({ session }: Pick<EventRun, 'session'>): number {
  const turn = getUnpausedTurn(session.turn);
  return 'request' in turn ? turn.request : 0;
}
