import type { SessionSettings } from '../../src/index.ts';
import {
  permissionAllowed,
  createCall,
  permissionDenied,
  toolFinished,
  contextOverflowed,
  pagingFinished,
  pauseRequested,
  modelReplied,
  resumeRequested,
  userMessage,
  userSteered,
} from '../helpers/event-builders.ts';
import { choosePlausibleEvent } from '../helpers/choose-plausible-event.ts';
import type { UntimedEvent } from '../helpers/run-events.ts';
import { extendEvent, createScenario, createRandomScenario, type LogScenario } from './log-scenario.ts';
import type { SessionFactory } from './turn-scenarios.ts';

const hourMs = 3_600_000;
const timeLimitSettings: Partial<SessionSettings> = {
  budgets: { modelCalls: null, toolCalls: null, tokens: null, cost: null, wallMs: 60_000 },
};

/** A time that many hours after the start of the scenario. */
const scheduleEvent = (hours: number, event: UntimedEvent): UntimedEvent => ({
  ...event,
  at: hours * hourMs,
});

const createFruitlessPaging = (): UntimedEvent => extendEvent(pagingFinished(0), { heldTokens: 0 });

/** Time that a person takes is not the agent's, and making room where there is nothing to move is in vain. */
export function createFairCountScenarios(startSession: SessionFactory): readonly LogScenario[] {
  const timed = (profile: string): ReturnType<SessionFactory> =>
    startSession(profile, { settings: timeLimitSettings });
  return [
    createScenario(
      '4-time-permission',
      'A person takes hours to decide, and the work goes on.',
      timed('pawl'),
      [
        userMessage('Tidy up.'),
        modelReplied('', createCall('a', 'bash', 'ask'), createCall('b', 'bash', 'ask')),
        scheduleEvent(1, permissionAllowed('a')),
        scheduleEvent(2, permissionDenied('b')),
        toolFinished('a'),
        modelReplied('', createCall('c', 'bash', 'ask')),
        scheduleEvent(3, userSteered('And the shed?')),
        scheduleEvent(4, permissionDenied('c')),
        modelReplied('Tidied.'),
      ],
    ),
    createScenario('4-time-pause', 'A pause takes hours, with a permission in it.', timed('nexora'), [
      userMessage('Tidy up.'),
      modelReplied('', createCall('a', 'bash', 'ask')),
      scheduleEvent(1, pauseRequested()),
      scheduleEvent(2, permissionAllowed('a')),
      scheduleEvent(3, resumeRequested()),
      toolFinished('a'),
      scheduleEvent(4, modelReplied('That took me too long.', createCall('b'))),
      toolFinished('b'),
      modelReplied('I got this far.'),
    ]),
    createScenario(
      '4-paging-nothing',
      'Room is to be made twice where there is nothing to move.',
      startSession('pawl'),
      [
        userMessage('Tidy up.'),
        contextOverflowed(),
        createFruitlessPaging(),
        contextOverflowed(),
        createFruitlessPaging(),
      ],
    ),
    createRandomScenario('4-wander-time', timed('pawl'), { seed: 501, choose: choosePlausibleEvent }),
  ];
}
