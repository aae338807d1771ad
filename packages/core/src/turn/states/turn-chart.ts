import type { Chart, ChartState } from '../../charts/chart.ts';
import { awaitingPermissionState } from './awaiting-permission.ts';
import { callingModelState } from './calling-model.ts';
import { haltedState, shuttingDownState } from './ended.ts';
import { errorRecoveryState } from './error-recovery.ts';
import { executingToolsState } from './executing-tools.ts';
import { pagingState } from './paging.ts';
import { pausedState } from './paused.ts';
import { postToolsHookState } from './post-tools-hook.ts';
import { waitingForUserState } from './waiting-for-user.ts';
import { describeTransientState } from '../turn-table.ts';

/* States that a step passes through without stopping; the handlers of other states decide about them. */

const processingResponseState: ChartState = describeTransientState(
  'processingResponse',
  'Processes the reply.',
  [
    ['last call ends the session', 'halted', 'stop'],
    ['reply ends the turn, agenda is not empty', 'progressCheck'],
    ['reply ends the turn', 'waitingForUser', 'wait'],
    ['a call needs permission', 'awaitingPermission', 'ask-permission'],
    ['a call may run', 'executingTools', 'run-tools'],
    ['progress is checked', 'progressCheck'],
    ['', 'callingModel', 'ask-model'],
  ],
);

const progressCheckState: ChartState = describeTransientState(
  'progressCheck',
  'Checks progress and processes the agenda.',
  [
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
  ],
);

const phaseTransitionState: ChartState = describeTransientState(
  'phaseTransition',
  'One phase of a long task ends and the next starts.',
  [
    ['another phase changed', 'phaseTransition'],
    ['failed phase ends the session', 'halted', 'stop'],
    ['work is in progress', 'progressCheck'],
    ['has a message', 'callingModel', 'ask-model'],
    ['', 'waitingForUser', 'wait'],
  ],
);

/**
 * The turn table as a chart, for drawing and export: it is made of the rows that `step` executes.
 *
 * Omitted because it is the same everywhere: an event without a listed transition changes nothing and returns a wait
 * action; while paused, every event except the listed ones and another pause request is applied to the held state
 * without starting new work.
 */
export const turnChart: Chart = {
  name: 'turn',
  initial: 'waitingForUser',
  states: [
    waitingForUserState.chart,
    callingModelState.chart,
    processingResponseState,
    awaitingPermissionState.chart,
    executingToolsState.chart,
    postToolsHookState.chart,
    progressCheckState,
    phaseTransitionState,
    errorRecoveryState.chart,
    pagingState.chart,
    pausedState.chart,
    haltedState.chart,
    shuttingDownState.chart,
  ],
};
