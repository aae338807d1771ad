import {
  getLastItem,
  type Event,
  type Session,
  type TurnState,
  type TurnStatus,
  type SessionStep,
} from '../../src/index.ts';

export type ExpectedNexoraState =
  | 'Idle'
  | 'ProcessingPrompt'
  | 'StreamingResponse'
  | 'ExecutingTool'
  | 'AwaitingPermission'
  | 'ErrorRecovery'
  | 'ProgressCheck'
  | 'PhaseTransition'
  | 'Halted';

export type NexoraEdge = `${ExpectedNexoraState} → ${ExpectedNexoraState}`;

/** Which state may follow which. */
const expectedSuccessors: { readonly [State in ExpectedNexoraState]: readonly ExpectedNexoraState[] } = {
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

export const nexoraStates: readonly ExpectedNexoraState[] = Object.keys(
  expectedSuccessors,
) as ExpectedNexoraState[];

export const validEdges: readonly NexoraEdge[] = nexoraStates.flatMap((from) =>
  expectedSuccessors[from].map((to) => `${from} → ${to}` as const),
);

/** Nexora's names for ours. Three states of ours are outside its table. */
const nexoraNameByStatus: { readonly [Status in TurnStatus]: ExpectedNexoraState | null } = {
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
function listNexoraNames(status: TurnStatus, turn: TurnState): readonly ExpectedNexoraState[] {
  const name = nexoraNameByStatus[status];
  if (name === null) return [];
  return status === 'callingModel' && isAnsweringPrompt(turn) ? ['ProcessingPrompt', name] : [name];
}

function isAnsweringPrompt(turn: TurnState): boolean {
  if (turn.status === 'paused') return isAnsweringPrompt(turn.held);
  return turn.status === 'callingModel' && !turn.streaming && getLastItem(turn.conversation)?.role === 'user';
}

type ObservedStep = { readonly before: Session; readonly event: Event; readonly after: SessionStep };

/** The edges of the table that a step goes along, each told as every pair it may stand for. */
export function listNexoraEdges({ before, event, after }: ObservedStep): readonly (readonly NexoraEdge[])[] {
  const notes = after.notes.filter((note) => note.type === 'transition');
  const isUnseen = notes.length === 0 && (event.type === 'user-message' || event.type === 'text-delta');
  const transitions = isUnseen
    ? [{ from: before.turn.status, to: after.session.turn.status }]
    : notes.map(({ from, to }) => ({ from, to }));
  return transitions
    .map(({ from, to }) =>
      pairStates(listNexoraNames(from, before.turn), listNexoraNames(to, after.session.turn)),
    )
    .filter((edges) => edges.length > 0);
}

function pairStates(
  from: readonly ExpectedNexoraState[],
  to: readonly ExpectedNexoraState[],
): readonly NexoraEdge[] {
  return from.flatMap((each) => to.map((other): NexoraEdge => `${each} → ${other}`));
}
