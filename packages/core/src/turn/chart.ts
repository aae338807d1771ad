import type { ActionType } from '../action.ts';
import type { Chart, ChartMove, ChartState } from '../charts/chart.ts';
import type { EventType } from '../event.ts';
import type { TurnStatus } from './state.ts';

/*
 * The turn machine drawn as data. `step` does not read it: it is a second, independent account of the same machine, and
 * the tests hold the two to each other on every state, event and path.
 *
 * Left out, because they are the same everywhere: an event that no move is listed for changes nothing and asks to wait;
 * while paused, every event but the listed ones and another wish to pause is taken as the state held would take it, without
 * new work.
 */
type Target = TurnStatus | readonly [when: string, to: TurnStatus, ...does: ActionType[]];

/** The moves on one event; a bare state is the move without a condition. */
function on(event: EventType | null, ...targets: readonly Target[]): readonly ChartMove[] {
  return targets.map((target) => {
    if (typeof target === 'string') return { on: event, when: null, to: target, does: [] };
    const [when, to, ...does] = target;
    return { on: event, when: when === '' ? null : when, to, does };
  });
}

function state(
  name: TurnStatus,
  kind: ChartState['kind'],
  description: string,
  ...moves: readonly (readonly ChartMove[])[]
): ChartState {
  return { name, kind, description, moves: moves.flat() };
}

const shutdown = on('shutdown-requested', ['', 'shuttingDown', 'shut-down']);

/** A failed phase that no check has come to yet ends the session all the same. */
const failedMeanwhile = ['failed phase ends the session', 'halted', 'abort', 'stop'] as const;
const calledOff = ['', 'waitingForUser', 'abort', 'wait'] as const;

const cancel = on('cancel-requested', failedMeanwhile, calledOff);

/** A round of tools that was begun is not left without a look at it. */
const cancelRound = on(
  'cancel-requested',
  failedMeanwhile,
  ['every round is checked', 'progressCheck', 'abort'],
  calledOff,
);

/** The ways out of every state with work under way. */
const callOff = [
  on('pause-requested', ['', 'paused', 'wait']),
  on('halt-requested', ['', 'halted', 'abort', 'stop']),
  shutdown,
];

/** What a person asks of memory changes nothing about the work. */
function askMemory(name: TurnStatus): readonly ChartMove[] {
  return on(
    'memory-asked',
    ['an entry is sent to storage', name, 'store', 'wait'],
    ['an entry is pinned or unpinned', name, 'wait'],
  );
}

/** What is kept for the next progress check, and what is done at once. */
function kept(name: TurnStatus): readonly ChartMove[] {
  return [
    ...on('steered', ['', name, 'wait']),
    ...on('phase-started', ['brings no message', name, 'wait']),
    ...on('phase-completed', ['', name, 'wait']),
    ...on('verdict-reached', ['verdict is halt', 'halted', 'abort', 'stop'], ['', name, 'wait']),
    ...on('finish-requested', ['', name, 'wait']),
    ...askMemory(name),
  ];
}

/** Where the work goes when a round of tools, hooks included, is over. */
const afterTools: readonly Target[] = [
  ['progress is checked', 'progressCheck'],
  ['turn is done', 'waitingForUser', 'wait'],
  ['', 'callingModel', 'ask-model'],
];

export const turnChart: Chart = {
  name: 'turn',
  initial: 'waitingForUser',
  states: [
    state(
      'waitingForUser',
      'waiting',
      'Waits for a message. Where every session starts and every turn ends.',
      on('user-message', ['', 'callingModel', 'ask-model']),
      on('steered', ['', 'callingModel', 'ask-model']),
      on('paging-requested', ['', 'paging', 'page-memory']),
      on('phase-started', 'phaseTransition'),
      on('phase-completed', 'phaseTransition'),
      on('verdict-reached', ['verdict is halt', 'halted', 'stop']),
      askMemory('waitingForUser'),
      on('pause-requested', ['', 'paused', 'wait']),
      on('halt-requested', ['', 'halted', 'stop']),
      shutdown,
    ),
    state(
      'callingModel',
      'waiting',
      'Waits for the model.',
      on('text-delta', ['', 'callingModel', 'show-text']),
      on('call-delta', ['', 'callingModel', 'wait']),
      on('model-replied', 'processingResponse'),
      on(
        'model-failed',
        ['no room, and tries are left', 'paging', 'page-memory'],
        ['tries are left', 'errorRecovery', 'wait'],
        ['last call ends the session', 'halted', 'show-error', 'stop'],
        ['agenda is open', 'progressCheck', 'show-error'],
        ['', 'waitingForUser', 'show-error'],
      ),
      kept('callingModel'),
      cancel,
      ...callOff,
    ),
    state(
      'processingResponse',
      'passing',
      'Looks at the reply.',
      on(
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
    state(
      'awaitingPermission',
      'waiting',
      'Waits for a person to decide on each call that needs it.',
      on(
        'permission-decided',
        ['others are undecided', 'awaitingPermission', 'wait'],
        ['a call may run', 'executingTools', 'run-tools'],
        ['', 'processingResponse'],
      ),
      kept('awaitingPermission'),
      cancel,
      ...callOff,
    ),
    state(
      'executingTools',
      'waiting',
      'Waits for tools.',
      on('tool-started', ['', 'executingTools', 'wait']),
      on('tool-progressed', ['', 'executingTools', 'wait']),
      on(
        'tool-finished',
        ['others are open', 'executingTools', 'wait'],
        ['something changed', 'postToolsHook', 'run-hooks'],
        ...afterTools,
      ),
      kept('executingTools'),
      cancelRound,
      ...callOff,
    ),
    state(
      'postToolsHook',
      'waiting',
      'Waits for what runs after tools that changed something.',
      on('hooks-finished', ...afterTools),
      on(
        'hooks-failed',
        ['tries are left', 'errorRecovery', 'wait'],
        ['progress is checked', 'progressCheck', 'show-error'],
        ['turn is done', 'waitingForUser', 'show-error'],
        ['', 'callingModel', 'show-error', 'ask-model'],
      ),
      kept('postToolsHook'),
      cancelRound,
      ...callOff,
    ),
    state(
      'progressCheck',
      'passing',
      'Is the work moving? Works off what was asked for meanwhile.',
      on(
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
    state(
      'phaseTransition',
      'passing',
      'One phase of a long task ends, the next begins.',
      on(
        null,
        ['another phase changed', 'phaseTransition'],
        ['failed phase ends the session', 'halted', 'stop'],
        ['work is under way', 'progressCheck'],
        ['brings a message', 'callingModel', 'ask-model'],
        ['', 'waitingForUser', 'wait'],
      ),
    ),
    state(
      'errorRecovery',
      'waiting',
      'Waits for a retry to fall due, or for a way out of a stuck state.',
      on(
        'retry-due',
        ['model failed', 'callingModel', 'ask-model'],
        ['hooks failed', 'postToolsHook', 'run-hooks'],
        ['paging failed', 'paging', 'page-memory'],
      ),
      on(
        'recovery-finished',
        ['way out is to halt', 'halted', 'abort', 'stop'],
        ['way out is to run calls', 'executingTools', 'run-tools'],
        ['way out is to check', 'progressCheck'],
        ['there is no way out, agenda is open', 'progressCheck', 'show-error'],
        ['there is no way out', 'waitingForUser', 'show-error'],
        ['way out is to ask', 'callingModel', 'ask-model'],
      ),
      kept('errorRecovery'),
      cancel,
      ...callOff,
    ),
    state(
      'paging',
      'waiting',
      'Waits for memory to make room.',
      on(
        'paging-finished',
        ['model was asked', 'callingModel', 'ask-model'],
        ['agenda is open', 'progressCheck'],
        ['', 'waitingForUser', 'wait'],
      ),
      on(
        'paging-failed',
        ['tries are left', 'errorRecovery', 'wait'],
        ['last call ends the session', 'halted', 'show-error', 'stop'],
        ['agenda is open', 'progressCheck', 'show-error'],
        ['', 'waitingForUser', 'show-error'],
      ),
      kept('paging'),
      cancel,
      ...callOff,
    ),
    state(
      'paused',
      'waiting',
      'Waits for permission to go on. Answers still come in; no new work starts.',
      on(
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
      on('cancel-requested', ['was waitingForUser', 'waitingForUser', 'wait'], failedMeanwhile, calledOff),
      on('halt-requested', ['was waitingForUser', 'halted', 'stop'], ['', 'halted', 'abort', 'stop']),
      shutdown,
    ),
    state('halted', 'terminal', 'Ended for good, with the reason.', shutdown),
    state(
      'shuttingDown',
      'terminal',
      'The caller lets go of the session.',
      on('shutdown-requested', ['', 'shuttingDown', 'shut-down']),
    ),
  ],
};
