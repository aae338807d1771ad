import {
  lastItem,
  type Event,
  type Session,
  type Step,
  type Turn,
  type TurnStatus,
} from '../../src/index.ts';

export type NexoraState =
  | 'Idle'
  | 'ProcessingPrompt'
  | 'StreamingResponse'
  | 'ExecutingTool'
  | 'AwaitingPermission'
  | 'ErrorRecovery'
  | 'ProgressCheck'
  | 'PhaseTransition'
  | 'Halted';

export type Edge = `${NexoraState} → ${NexoraState}`;

/** Which state may follow which. */
const successors: { readonly [State in NexoraState]: readonly NexoraState[] } = {
  Idle: ['ProcessingPrompt', 'PhaseTransition', 'Halted'],
  ProcessingPrompt: ['StreamingResponse', 'ErrorRecovery', 'Halted', 'ProcessingPrompt'],
  StreamingResponse: [
    'ExecutingTool',
    'AwaitingPermission',
    'ProgressCheck',
    'Idle',
    'ErrorRecovery',
    'Halted',
  ],
  ExecutingTool: ['StreamingResponse', 'ProgressCheck', 'ErrorRecovery', 'Halted'],
  AwaitingPermission: ['StreamingResponse', 'ExecutingTool', 'Idle', 'Halted'],
  ErrorRecovery: ['StreamingResponse', 'ExecutingTool', 'ProgressCheck', 'Idle', 'Halted'],
  PhaseTransition: ['ProcessingPrompt', 'ProgressCheck', 'PhaseTransition', 'Idle', 'Halted'],
  ProgressCheck: ['StreamingResponse', 'ExecutingTool', 'PhaseTransition', 'ErrorRecovery', 'Idle', 'Halted'],
  Halted: [],
};

export const nexoraStates: readonly NexoraState[] = Object.keys(successors) as NexoraState[];

export const validEdges: readonly Edge[] = nexoraStates.flatMap((from) =>
  successors[from].map((to) => `${from} → ${to}` as const),
);

/** Nexora's names for ours. Three states of ours are outside its table. */
const names: { readonly [Status in TurnStatus]: NexoraState | null } = {
  waitingForUser: 'Idle',
  callingModel: 'StreamingResponse',
  processingResponse: 'StreamingResponse',
  awaitingPermission: 'AwaitingPermission',
  executingTools: 'ExecutingTool',
  postToolsHook: 'ExecutingTool',
  progressCheck: 'ProgressCheck',
  phaseTransition: 'PhaseTransition',
  errorRecovery: 'ErrorRecovery',
  halted: 'Halted',
  paging: null,
  paused: null,
  shuttingDown: null,
};

/**
 * The states of Nexora that a state of ours stands for. A model call that answers the user directly stands for two
 * until it streams: the step from ProcessingPrompt to StreamingResponse cannot be seen from outside.
 */
function namesOf(status: TurnStatus, turn: Turn): readonly NexoraState[] {
  const name = names[status];
  if (name === null) return [];
  return status === 'callingModel' && answersPrompt(turn) ? ['ProcessingPrompt', name] : [name];
}

function answersPrompt(turn: Turn): boolean {
  if (turn.status === 'paused') return answersPrompt(turn.held);
  return turn.status === 'callingModel' && !turn.streaming && lastItem(turn.conversation)?.role === 'user';
}

type Observed = { readonly before: Session; readonly event: Event; readonly after: Step };

/** The edges of the table that a step goes along, each told as every pair it may stand for. */
export function edgesOf({ before, event, after }: Observed): readonly (readonly Edge[])[] {
  const notes = after.notes.filter((note) => note.type === 'transition');
  const isUnseen = notes.length === 0 && (event.type === 'user-message' || event.type === 'text-delta');
  const hops = isUnseen
    ? [{ from: before.turn.status, to: after.session.turn.status }]
    : notes.map(({ from, to }) => ({ from, to }));
  return hops
    .map(({ from, to }) => pairs(namesOf(from, before.turn), namesOf(to, after.session.turn)))
    .filter((edges) => edges.length > 0);
}

function pairs(from: readonly NexoraState[], to: readonly NexoraState[]): readonly Edge[] {
  return from.flatMap((each) => to.map((other): Edge => `${each} → ${other}`));
}
