import {
  permissionAllowed,
  createCall,
  permissionDenied,
  toolFinished,
  modelReplied,
  userMessage,
} from '../helpers/event-builders.ts';
import type { UntimedEvent } from '../helpers/run-events.ts';
import { createScenario, type LogScenario } from './log-scenario.ts';
import type { SessionFactory } from './turn-scenarios.ts';

const repeatEvents = (count: number, round: readonly UntimedEvent[]): readonly UntimedEvent[] =>
  Array.from({ length: count }, () => round).flat();

/** Models that ask again and again for what is denied. */
export function createDenialScenarios(startSession: SessionFactory): readonly LogScenario[] {
  return [
    createScenario('3-denied-by-rule', 'A rule denies the same call over and over.', startSession('pawl'), [
      userMessage('Tidy up.'),
      ...repeatEvents(9, [modelReplied('', createCall('a', 'bash', 'deny'))]),
    ]),
    createScenario(
      '3-denied-by-person',
      'A person denies the same call over and over.',
      startSession('pawl'),
      [
        userMessage('Tidy up.'),
        ...repeatEvents(9, [modelReplied('', createCall('a', 'bash', 'ask')), permissionDenied('a')]),
      ],
    ),
    createScenario('3-denied-once', 'One denial among work that goes on.', startSession('pawl'), [
      userMessage('Tidy up.'),
      modelReplied('', createCall('a', 'bash', 'ask'), createCall('b')),
      permissionDenied('a'),
      toolFinished('b'),
      modelReplied('', createCall('a', 'bash', 'ask')),
      permissionAllowed('a'),
      toolFinished('a'),
      modelReplied('Tidied.'),
    ]),
  ];
}
