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

/** From behaviour 1 on, a failed phase that is to end the session does so when the work is called off. */
export function createFailedPhaseScenarios(begin: SessionFactory): readonly LogScenario[] {
  const settings = { haltOnFailedPhase: true };
  const failing = begin('nexora', { settings });
  const failsIn = (state: string, session: typeof failing, ...path: readonly UntimedEvent[]): LogScenario =>
    createScenario(
      `1-failed-phase-${state}`,
      'A phase fails in the midst of work, and the work is called off.',
      session,
      [phaseStarted(1, 'Begin.'), ...path, userMessage('Go on.')],
    );
  return [
    failsIn(
      'tools',
      failing,
      modelReplied('', createCall('a'), createCall('b')),
      toolStarted('a'),
      phaseCompleted(false),
      cancelRequested(),
    ),
    failsIn('model', failing, phaseCompleted(false), phaseStarted(2), cancelRequested()),
    failsIn(
      'permission',
      failing,
      modelReplied('', createCall('a', 'bash', 'ask')),
      phaseCompleted(false),
      cancelRequested(),
    ),
    failsIn('retry', failing, modelFailed(), phaseCompleted(false), cancelRequested()),
    failsIn(
      'pause',
      begin('pawl', { settings }),
      contextOverflowed(),
      phaseCompleted(false),
      pauseRequested(),
      cancelRequested(),
    ),
    failsIn(
      'reset',
      begin('loom', { settings: { ...settings, onInvalidEvent: 'reset' } }),
      phaseCompleted(false),
      retryDue(),
    ),
    failsIn(
      'unheeded',
      begin('pawl'),
      modelReplied('', createCall('a')),
      phaseCompleted(false),
      cancelRequested(),
    ),
  ];
}

export function createIntentScenario(begin: SessionFactory): LogScenario {
  const intent = { path: 'a.txt', before: 'one', after: 'two' };
  return createScenario(
    '1-intents',
    'Calls that say at their start what they are about to do.',
    begin('pawl'),
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
