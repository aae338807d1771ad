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
    ...createMoves('phase-started', ['has no message', name, 'wait']),
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
      'Waits for a user message. Every session starts and every turn ends here.',
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
        ['context overflow, retries are left', 'paging', 'page-memory'],
        ['retries are left', 'errorRecovery', 'wait'],
        ['last call ends the session', 'halted', 'show-error', 'stop'],
        ['agenda is not empty', 'progressCheck', 'show-error'],
        ['', 'waitingForUser', 'show-error'],
      ),
      createAgendaMoves('callingModel'),
      cancelMoves,
      ...interruptionMoves,
    ),
    createChartState(
      'processingResponse',
      'passing',
      'Processes the reply.',
      createMoves(
        null,
        ['last call ends the session', 'halted', 'stop'],
        ['reply ends the turn, agenda is not empty', 'progressCheck'],
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
        ['other calls are undecided', 'awaitingPermission', 'wait'],
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
        ['other calls are open', 'executingTools', 'wait'],
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
      'Waits for the hooks that run after tools that changed something.',
      createMoves('hooks-finished', ...afterToolsTargets),
      createMoves(
        'hooks-failed',
        ['retries are left', 'errorRecovery', 'wait'],
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
      'Checks progress and processes the agenda.',
      createMoves(
        null,
        ['work is canceled', 'waitingForUser', 'wait'],
        ['a phase changed', 'phaseTransition'],
        ['steering is pending', 'callingModel', 'ask-model'],
        ['turn is done', 'waitingForUser', 'wait'],
        ['finish is requested', 'callingModel', 'ask-model'],
        ['verdict runs calls', 'executingTools', 'run-tools'],
        ['verdict asks a person', 'waitingForUser', 'show-text', 'wait'],
        ['verdict requests recovery, attempts are left', 'errorRecovery', 'recover'],
        ['verdict requests recovery', 'halted', 'stop'],
        ['', 'callingModel', 'ask-model'],
      ),
    ),
    createChartState(
      'phaseTransition',
      'passing',
      'One phase of a long task ends and the next starts.',
      createMoves(
        null,
        ['another phase changed', 'phaseTransition'],
        ['failed phase ends the session', 'halted', 'stop'],
        ['work is in progress', 'progressCheck'],
        ['has a message', 'callingModel', 'ask-model'],
        ['', 'waitingForUser', 'wait'],
      ),
    ),
    createChartState(
      'errorRecovery',
      'waiting',
      'Waits for a retry, or for a recovery from a stuck state.',
      createMoves(
        'retry-due',
        ['model failed', 'callingModel', 'ask-model'],
        ['hooks failed', 'postToolsHook', 'run-hooks'],
        ['paging failed', 'paging', 'page-memory'],
      ),
      createMoves(
        'recovery-finished',
        ['recovery halts', 'halted', 'abort', 'stop'],
        ['recovery runs calls', 'executingTools', 'run-tools'],
        ['recovery checks progress', 'progressCheck'],
        ['recovery gave up, agenda is not empty', 'progressCheck', 'show-error'],
        ['recovery gave up', 'waitingForUser', 'show-error'],
        ['recovery calls the model', 'callingModel', 'ask-model'],
      ),
      createAgendaMoves('errorRecovery'),
      cancelMoves,
      ...interruptionMoves,
    ),
    createChartState(
      'paging',
      'waiting',
      'Waits for paging to make room.',
      createMoves(
        'paging-finished',
        ['a model call is waiting', 'callingModel', 'ask-model'],
        ['agenda is not empty', 'progressCheck'],
        ['', 'waitingForUser', 'wait'],
      ),
      createMoves(
        'paging-failed',
        ['retries are left', 'errorRecovery', 'wait'],
        ['last call ends the session', 'halted', 'show-error', 'stop'],
        ['agenda is not empty', 'progressCheck', 'show-error'],
        ['', 'waitingForUser', 'show-error'],
      ),
      createAgendaMoves('paging'),
      cancelMoves,
      ...interruptionMoves,
    ),
    createChartState(
      'paused',
      'waiting',
      'Waits for a resume request. Answers are still applied; no new work starts.',
      createMoves(
        'resume-requested',
        ['was waitingForUser', 'waitingForUser', 'wait'],
        ['was callingModel', 'callingModel', 'ask-model'],
        ['was awaitingPermission', 'awaitingPermission', 'ask-permission'],
        ['was executingTools, calls are pending', 'executingTools', 'run-tools'],
        ['was executingTools', 'executingTools', 'wait'],
        ['was postToolsHook', 'postToolsHook', 'run-hooks'],
        ['was errorRecovery, recovery was requested', 'errorRecovery', 'recover'],
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
    createChartState(
      'halted',
      'terminal',
      'The session has ended permanently, with a reason.',
      shutdownMoves,
    ),
    createChartState(
      'shuttingDown',
      'terminal',
      'The caller releases the session.',
      createMoves('shutdown-requested', ['', 'shuttingDown', 'shut-down']),
    ),
  ],
};
