/** The states of an agent with its own loop, and their transitions. Halted is terminal. */
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

const nexoraTransitions: { readonly [State in NexoraState]: readonly NexoraState[] } = {
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

export function listNexoraSuccessors(state: NexoraState): readonly NexoraState[] {
  return nexoraTransitions[state];
}

export function isNexoraState(name: string): name is NexoraState {
  return Object.hasOwn(nexoraTransitions, name);
}
