import {
  createCall,
  cancelRequested,
  phaseCompleted,
  modelFailed,
  toolFinished,
  contextOverflowed,
  pauseRequested,
  modelReplied,
  toolProgressed,
  retryDue,
  userMessage,
  toolStarted,
  phaseStarted,
} from '../helpers/event-builders.ts';
import type { UntimedEvent } from '../helpers/run-events.ts';
import { extendEvent, createScenario, type LogScenario } from './log-scenario.ts';
import type { SessionFactory } from './turn-scenarios.ts';

/** From log version 1 on, a failed phase that is to end the session does so when the work is called off. */
export function createFailedPhaseScenarios(startSession: SessionFactory): readonly LogScenario[] {
  const settings = { haltOnFailedPhase: true };
  const failing = startSession('nexora', { settings });
  const createFailureScenario = (
    state: string,
    session: typeof failing,
    ...path: readonly UntimedEvent[]
  ): LogScenario =>
    createScenario(
      `1-failed-phase-${state}`,
      'A phase fails in the midst of work, and the work is called off.',
      session,
      [phaseStarted(1, 'Begin.'), ...path, userMessage('Go on.')],
    );
  return [
    createFailureScenario(
      'tools',
      failing,
      modelReplied('', createCall('a'), createCall('b')),
      toolStarted('a'),
      phaseCompleted(false),
      cancelRequested(),
    ),
    createFailureScenario('model', failing, phaseCompleted(false), phaseStarted(2), cancelRequested()),
    createFailureScenario(
      'permission',
      failing,
      modelReplied('', createCall('a', 'bash', 'ask')),
      phaseCompleted(false),
      cancelRequested(),
    ),
    createFailureScenario('retry', failing, modelFailed(), phaseCompleted(false), cancelRequested()),
    createFailureScenario(
      'pause',
      startSession('pawl', { settings }),
      contextOverflowed(),
      phaseCompleted(false),
      pauseRequested(),
      cancelRequested(),
    ),
    createFailureScenario(
      'reset',
      startSession('loom', { settings: { ...settings, onInvalidEvent: 'reset' } }),
      phaseCompleted(false),
      retryDue(),
    ),
    createFailureScenario(
      'unheeded',
      startSession('pawl'),
      modelReplied('', createCall('a')),
      phaseCompleted(false),
      cancelRequested(),
    ),
  ];
}

export function createIntentScenario(startSession: SessionFactory): LogScenario {
  const intent = { path: 'a.txt', before: 'one', after: 'two' };
  return createScenario(
    '1-intents',
    'Calls that say at their start what they are about to do.',
    startSession('pawl'),
    [
      userMessage(),
      modelReplied('', createCall('a', 'edit'), createCall('b', 'write')),
      toolProgressed('a', 'looking'),
      extendEvent(toolStarted('a'), { intent }),
      toolProgressed('a', 'writing'),
      extendEvent(toolStarted('b'), { intent: null }),
      toolFinished('a'),
      pauseRequested(),
      cancelRequested(),
    ],
  );
}
