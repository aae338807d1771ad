import type { SessionSettings } from '../../src/index.ts';
import {
  finishRequested,
  createCall,
  modelFailed,
  toolFinished,
  contextOverflowed,
  modelReplied,
  retryDue,
  userMessage,
  userSteered,
} from '../helpers/event-builders.ts';
import { choosePlausibleEvent } from '../helpers/choose-plausible-event.ts';
import { createScenario, createRandomScenario, type LogScenario } from './log-scenario.ts';
import type { SessionFactory } from './turn-scenarios.ts';

const limitModelCalls = (modelCalls: number): Partial<SessionSettings> => ({
  budgets: { modelCalls, toolCalls: null, tokens: null, cost: null, wallMs: null },
});

/** Sessions whose budget holds for retries and new turns as well. */
export function createBudgetScenarios(startSession: SessionFactory): readonly LogScenario[] {
  const pawl = (modelCalls: number): ReturnType<SessionFactory> =>
    startSession('pawl', { settings: limitModelCalls(modelCalls) });
  return [
    createScenario(
      '2-budget-retry',
      'A retry that is all that is left is asked for the last answer.',
      pawl(3),
      [
        userMessage('Tidy up.'),
        modelReplied('', createCall('a')),
        toolFinished('a'),
        modelFailed(),
        retryDue(),
        modelReplied('I got this far.'),
      ],
    ),
    createScenario('2-budget-turns', 'A new turn begins with what is left.', pawl(3), [
      userMessage('Tidy up.'),
      modelReplied('', createCall('a')),
      toolFinished('a'),
      modelReplied('Tidied.'),
      userMessage('And the shed?'),
      modelReplied('Later.'),
    ]),
    createScenario('2-budget-spent', 'With nothing left a failure is the end.', pawl(2), [
      userMessage('Tidy up.'),
      modelFailed(),
      userSteered('Hello?'),
      retryDue(),
      contextOverflowed(),
    ]),
    createScenario(
      '2-budget-finish',
      'A wish to finish with the last call that is paid for ends the session.',
      pawl(3),
      [
        userMessage('Tidy up.'),
        modelReplied('Tidied.'),
        userMessage('And the shed?'),
        modelReplied('', createCall('a')),
        finishRequested(),
        toolFinished('a'),
        modelReplied('Half of it.'),
      ],
    ),
    createScenario('2-budget-one', 'A budget of one call is one answer.', pawl(1), [
      userMessage('Tidy up.'),
      modelReplied('No.', createCall('a')),
    ]),
    createRandomScenario('2-wander-budget', startSession('nexora', { settings: limitModelCalls(6) }), {
      seed: 401,
      choose: choosePlausibleEvent,
    }),
  ];
}
