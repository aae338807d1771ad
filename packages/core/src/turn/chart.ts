import type { ActionType } from '../action.ts';
import type { Chart, ChartMove, ChartState } from '../charts/chart.ts';
import type { EventType } from '../event.ts';
import type { TurnStatus } from './state.ts';

/*
 * The turn machine as a chart. `step` does not use it: it is an independent description of the same machine, and the
 * tests compare the two on every state, event and path.
 *
 * Omitted because it is the same everywhere: an event without a listed move changes nothing and returns a wait action;
 * while paused, every event except the listed ones and another pause request is applied to the held state without
 * starting new work.
 */
type TurnTarget = TurnStatus | readonly [guard: string, to: TurnStatus, ...actions: ActionType[]];

/** Creates the moves on one event; a bare state is a move without a condition. */
function createMoves(event: EventType | null, ...targets: readonly TurnTarget[]): readonly ChartMove[] {
  return targets.map((target) => {
    if (typeof target === 'string') return { on: event, guard: null, to: target, actions: [] };
    const [guard, to, ...actions] = target;
    return { on: event, guard: guard === '' ? null : guard, to, actions };
  });
}

function createChartState(
  name: TurnStatus,
  kind: ChartState['kind'],
  description: string,
  ...moves: readonly (readonly ChartMove[])[]
): ChartState {
  return { name, kind, description, transitions: moves.flat() };
}

const shutdownMoves = createMoves('shutdown-requested', ['', 'shuttingDown', 'shut-down']);

/** A failed phase that no progress check has processed yet still ends the session. */
const failedPhaseTarget = ['failed phase ends the session', 'halted', 'abort', 'stop'] as const;
const canceledTarget = ['', 'waitingForUser', 'abort', 'wait'] as const;

const cancelMoves = createMoves('cancel-requested', failedPhaseTarget, canceledTarget);

/** Canceling a started tool round still passes through a progress check. */
const cancelRoundMoves = createMoves(
  'cancel-requested',
  failedPhaseTarget,
  ['every round is checked', 'progressCheck', 'abort'],
  canceledTarget,
);

/** The exits of every state with work in progress. */
const interruptionMoves = [
  createMoves('pause-requested', ['', 'paused', 'wait']),
  createMoves('halt-requested', ['', 'halted', 'abort', 'stop']),
  shutdownMoves,
];

/** A memory command does not affect the work in progress. */
function createMemoryMoves(name: TurnStatus): readonly ChartMove[] {
  return createMoves(
    'memory-asked',
    ['an entry is sent to storage', name, 'store', 'wait'],
    ['an entry is pinned or unpinned', name, 'wait'],
  );
}

/** Events that go on the agenda for the next progress check, and those that take effect at once. */
function createAgendaMoves(name: TurnStatus): readonly ChartMove[] {
  return [
    ...createMoves('steered', ['', name, 'wait']),
    ...createMoves('phase-started', ['brings no message', name, 'wait']),
    ...createMoves('phase-completed', ['', name, 'wait']),
    ...createMoves('verdict-reached', ['verdict is halt', 'halted', 'abort', 'stop'], ['', name, 'wait']),
    ...createMoves('finish-requested', ['', name, 'wait']),
    ...createMemoryMoves(name),
  ];
}

/** Where the turn continues after a tool round, hooks included. */
const afterToolsTargets: readonly TurnTarget[] = [
  ['progress is checked', 'progressCheck'],
  ['turn is done', 'waitingForUser', 'wait'],
  ['', 'callingModel', 'ask-model'],
];

export const turnChart: Chart = {
  name: 'turn',
  initial: 'waitingForUser',
  states: [
    createChartState(
      'waitingForUser',
      'waiting',
      'Waits for a message. Where every session starts and every turn ends.',
      createMoves('user-message', ['', 'callingModel', 'ask-model']),
      createMoves('steered', ['', 'callingModel', 'ask-model']),
      createMoves('paging-requested', ['', 'paging', 'page-memory']),
      createMoves('phase-started', 'phaseTransition'),
      createMoves('phase-completed', 'phaseTransition'),
      createMoves('verdict-reached', ['verdict is halt', 'halted', 'stop']),
      createMemoryMoves('waitingForUser'),
      createMoves('pause-requested', ['', 'paused', 'wait']),
      createMoves('halt-requested', ['', 'halted', 'stop']),
      shutdownMoves,
    ),
    createChartState(
      'callingModel',
      'waiting',
      'Waits for the model.',
      createMoves('text-delta', ['', 'callingModel', 'show-text']),
      createMoves('call-delta', ['', 'callingModel', 'wait']),
      createMoves('model-replied', 'processingResponse'),
      createMoves(
        'model-failed',
        ['no room, and tries are left', 'paging', 'page-memory'],
        ['tries are left', 'errorRecovery', 'wait'],
        ['last call ends the session', 'halted', 'show-error', 'stop'],
        ['agenda is open', 'progressCheck', 'show-error'],
        ['', 'waitingForUser', 'show-error'],
      ),
      createAgendaMoves('callingModel'),
      cancelMoves,
      ...interruptionMoves,
    ),
    createChartState(
      'processingResponse',
      'passing',
      'Looks at the reply.',
      createMoves(
        null,
        ['last call ends the session', 'halted', 'stop'],
        ['reply ends the turn, agenda is open', 'progressCheck'],
        ['reply ends the turn', 'waitingForUser', 'wait'],
        ['a call needs permission', 'awaitingPermission', 'ask-permission'],
        ['a call may run', 'executingTools', 'run-tools'],
        ['progress is checked', 'progressCheck'],
        ['', 'callingModel', 'ask-model'],
      ),
    ),
    createChartState(
      'awaitingPermission',
      'waiting',
      'Waits for a person to decide on each call that needs it.',
      createMoves(
        'permission-decided',
        ['others are undecided', 'awaitingPermission', 'wait'],
        ['a call may run', 'executingTools', 'run-tools'],
        ['', 'processingResponse'],
      ),
      createAgendaMoves('awaitingPermission'),
      cancelMoves,
      ...interruptionMoves,
    ),
    createChartState(
      'executingTools',
      'waiting',
      'Waits for tools.',
      createMoves('tool-started', ['', 'executingTools', 'wait']),
      createMoves('tool-progressed', ['', 'executingTools', 'wait']),
      createMoves(
        'tool-finished',
        ['others are open', 'executingTools', 'wait'],
        ['something changed', 'postToolsHook', 'run-hooks'],
        ...afterToolsTargets,
      ),
      createAgendaMoves('executingTools'),
      cancelRoundMoves,
      ...interruptionMoves,
    ),
    createChartState(
      'postToolsHook',
      'waiting',
      'Waits for what runs after tools that changed something.',
      createMoves('hooks-finished', ...afterToolsTargets),
      createMoves(
        'hooks-failed',
        ['tries are left', 'errorRecovery', 'wait'],
        ['progress is checked', 'progressCheck', 'show-error'],
        ['turn is done', 'waitingForUser', 'show-error'],
        ['', 'callingModel', 'show-error', 'ask-model'],
      ),
      createAgendaMoves('postToolsHook'),
      cancelRoundMoves,
      ...interruptionMoves,
    ),
    createChartState(
      'progressCheck',
      'passing',
      'Is the work moving? Works off what was asked for meanwhile.',
      createMoves(
        null,
        ['work is called off', 'waitingForUser', 'wait'],
        ['a phase changed', 'phaseTransition'],
        ['something was said', 'callingModel', 'ask-model'],
        ['turn is done', 'waitingForUser', 'wait'],
        ['finish is asked for', 'callingModel', 'ask-model'],
        ['verdict runs calls', 'executingTools', 'run-tools'],
        ['verdict asks a person', 'waitingForUser', 'show-text', 'wait'],
        ['verdict asks for recovery, tries are left', 'errorRecovery', 'recover'],
        ['verdict asks for recovery', 'halted', 'stop'],
        ['', 'callingModel', 'ask-model'],
      ),
    ),
    createChartState(
      'phaseTransition',
      'passing',
      'One phase of a long task ends, the next begins.',
      createMoves(
        null,
        ['another phase changed', 'phaseTransition'],
        ['failed phase ends the session', 'halted', 'stop'],
        ['work is under way', 'progressCheck'],
        ['brings a message', 'callingModel', 'ask-model'],
        ['', 'waitingForUser', 'wait'],
      ),
    ),
    createChartState(
      'errorRecovery',
      'waiting',
      'Waits for a retry to fall due, or for a way out of a stuck state.',
      createMoves(
        'retry-due',
        ['model failed', 'callingModel', 'ask-model'],
        ['hooks failed', 'postToolsHook', 'run-hooks'],
        ['paging failed', 'paging', 'page-memory'],
      ),
      createMoves(
        'recovery-finished',
        ['way out is to halt', 'halted', 'abort', 'stop'],
        ['way out is to run calls', 'executingTools', 'run-tools'],
        ['way out is to check', 'progressCheck'],
        ['there is no way out, agenda is open', 'progressCheck', 'show-error'],
        ['there is no way out', 'waitingForUser', 'show-error'],
        ['way out is to ask', 'callingModel', 'ask-model'],
      ),
      createAgendaMoves('errorRecovery'),
      cancelMoves,
      ...interruptionMoves,
    ),
    createChartState(
      'paging',
      'waiting',
      'Waits for memory to make room.',
      createMoves(
        'paging-finished',
        ['model was asked', 'callingModel', 'ask-model'],
        ['agenda is open', 'progressCheck'],
        ['', 'waitingForUser', 'wait'],
      ),
      createMoves(
        'paging-failed',
        ['tries are left', 'errorRecovery', 'wait'],
        ['last call ends the session', 'halted', 'show-error', 'stop'],
        ['agenda is open', 'progressCheck', 'show-error'],
        ['', 'waitingForUser', 'show-error'],
      ),
      createAgendaMoves('paging'),
      cancelMoves,
      ...interruptionMoves,
    ),
    createChartState(
      'paused',
      'waiting',
      'Waits for permission to go on. Answers still come in; no new work starts.',
      createMoves(
        'resume-requested',
        ['was waitingForUser', 'waitingForUser', 'wait'],
        ['was callingModel', 'callingModel', 'ask-model'],
        ['was awaitingPermission', 'awaitingPermission', 'ask-permission'],
        ['was executingTools, calls are to start', 'executingTools', 'run-tools'],
        ['was executingTools', 'executingTools', 'wait'],
        ['was postToolsHook', 'postToolsHook', 'run-hooks'],
        ['was errorRecovery, a way out is sought', 'errorRecovery', 'recover'],
        ['was errorRecovery', 'errorRecovery', 'wait'],
        ['was paging', 'paging', 'page-memory'],
      ),
      createMoves(
        'cancel-requested',
        ['was waitingForUser', 'waitingForUser', 'wait'],
        failedPhaseTarget,
        canceledTarget,
      ),
      createMoves(
        'halt-requested',
        ['was waitingForUser', 'halted', 'stop'],
        ['', 'halted', 'abort', 'stop'],
      ),
      shutdownMoves,
    ),
    createChartState('halted', 'terminal', 'Ended for good, with the reason.', shutdownMoves),
    createChartState(
      'shuttingDown',
      'terminal',
      'The caller lets go of the session.',
      createMoves('shutdown-requested', ['', 'shuttingDown', 'shut-down']),
    ),
  ],
};
