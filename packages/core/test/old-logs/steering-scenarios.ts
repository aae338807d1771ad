import type { Event, Session } from '../../src/index.ts';
import type { SeededDice } from '../helpers/seeded-dice.ts';
import {
  permissionAllowed,
  finishRequested,
  pagingRequested,
  failureOutcome,
  createCall,
  cancelRequested,
  permissionDenied,
  phaseCompleted,
  modelFailed,
  toolFinished,
  haltRequested,
  hooksFailed,
  hooksFinished,
  verdictReached,
  contextOverflowed,
  pagingFinished,
  pagingFailed,
  pauseRequested,
  recoveryFinished,
  modelReplied,
  resumeRequested,
  retryDue,
  userMessage,
  shutdownRequested,
  toolStarted,
  phaseStarted,
  userSteered,
  successOutcome,
} from '../helpers/event-builders.ts';
import { choosePlausibleEvent } from '../helpers/choose-plausible-event.ts';
import type { UntimedEvent } from '../helpers/run-events.ts';
import { createScenario, createRandomScenario, type LogScenario } from './log-scenario.ts';
import type { SessionFactory } from './turn-scenarios.ts';

/** A person who speaks while work is under way. */
export function createSteeringScenarios(startSession: SessionFactory): readonly LogScenario[] {
  return [
    ...createSteeredStateScenarios(startSession),
    ...createSteeredEndScenarios(startSession),
    ...createSteeredResetScenarios(startSession),
    ...createSteeredRandomScenarios(startSession),
  ];
}

function createSteeredStateScenarios(startSession: SessionFactory): readonly LogScenario[] {
  return [
    createScenario(
      '1-steered-states',
      'Something is said in every state with work under way.',
      startSession('pawl'),
      [
        userSteered('Tidy up.'),
        userSteered('Not the shed.'),
        modelReplied('', createCall('a', 'bash', 'ask'), createCall('b')),
        userSteered('Ask me first.'),
        permissionAllowed('a'),
        toolStarted('a'),
        userSteered('one'),
        userSteered('two'),
        toolFinished('b'),
        toolFinished('a'),
        userSteered('while hooks run'),
        hooksFailed(),
        userSteered('while they are waited for'),
        retryDue(),
        hooksFinished(),
        modelFailed(),
        userSteered('while the model is down'),
        retryDue(),
        contextOverflowed(),
        userSteered('while there is no room'),
        pagingFailed(),
        retryDue(),
        pagingFinished(),
        modelReplied('', createCall('c')),
        verdictReached('recover'),
        toolFinished('c'),
        userSteered('a way out'),
        recoveryFinished(),
        userSteered('and more'),
        modelReplied('Done.'),
        modelReplied('Done again.'),
        pagingRequested(),
        userSteered('while room is made'),
        pagingFinished(),
        modelReplied('That is all.'),
      ],
    ),
    createScenario(
      '1-steered-pause',
      'Something is said during a pause, in the midst of work and idle.',
      startSession('loom'),
      [
        userMessage(),
        modelReplied('', createCall('a')),
        pauseRequested(),
        userSteered('later'),
        toolFinished('a'),
        resumeRequested(),
        modelReplied('So.'),
        pauseRequested(),
        userSteered('now'),
        resumeRequested(),
        modelReplied('', createCall('b', 'bash', 'ask')),
        userSteered('no'),
        permissionDenied('b'),
        modelReplied('Good.'),
      ],
    ),
  ];
}

function createSteeredEndScenarios(startSession: SessionFactory): readonly LogScenario[] {
  const about = 'What was said stays when the work ends before it is heard.';
  const ends = (name: string, ...path: readonly UntimedEvent[]): LogScenario =>
    createScenario(`1-steered-${name}`, about, startSession('pawl'), [
      userMessage(),
      modelReplied('', createCall('a'), createCall('b')),
      toolStarted('a'),
      userSteered('wait'),
      ...path,
    ]);
  return [
    ends('cancel', cancelRequested(), userMessage('Go on.'), modelReplied('Yes.')),
    ends('halt', haltRequested()),
    ends('shutdown', shutdownRequested()),
    ends(
      'finish',
      finishRequested(),
      toolFinished('a'),
      toolFinished('b'),
      userSteered('too late'),
      modelReplied('The end.'),
    ),
  ];
}

/** The same call, failing the same way. */
function createFailingRead(id: string): readonly UntimedEvent[] {
  return [modelReplied('', { id, tool: 'read', args: 'gone.txt' }), toolFinished(id, failureOutcome())];
}

function createSteeredResetScenarios(startSession: SessionFactory): readonly LogScenario[] {
  return [
    createScenario(
      '1-steered-governor',
      'A word in time: the same failure is another story.',
      startSession('pawl'),
      [
        userMessage(),
        ...createFailingRead('a'),
        ...createFailingRead('b'),
        ...createFailingRead('c'),
        modelReplied('', createCall('d')),
        userSteered('It has moved.'),
        toolFinished('d'),
        ...createFailingRead('e'),
        ...createFailingRead('f'),
      ],
    ),
    createScenario(
      '1-steered-phases',
      'A word with a change of phase, and with a verdict.',
      startSession('nexora'),
      [
        phaseStarted(1, 'Begin.'),
        modelReplied('', createCall('a')),
        userSteered('quickly'),
        phaseCompleted(),
        phaseStarted(2),
        toolFinished('a'),
        modelReplied('', createCall('b')),
        verdictReached('ask'),
        userSteered('like this'),
        toolFinished('b'),
        modelReplied('', createCall('c')),
        userSteered('or that'),
        verdictReached('stop'),
        toolFinished('c'),
        userSteered('too late'),
        modelReplied('The end.'),
      ],
    ),
    createScenario('1-steered-savant', 'A word when the work had come to its end.', startSession('savant'), [
      userMessage(),
      modelReplied('', createCall('a', 'context.fts_search')),
      userSteered('in the shed'),
      toolFinished('a'),
      modelReplied('It is there.'),
      modelReplied('', createCall('b', 'finish')),
      userSteered('And the other one?'),
      toolFinished('b', successOutcome('all', true)),
      modelReplied('', createCall('c', 'context.fts_search')),
      toolFinished('c'),
    ]),
    createScenario(
      '1-steered-window',
      'A word that is too long for the window of the model, on a budget of time.',
      startSession('pawl', { settings: { windowTokens: 300, budgets: steeringBudgets } }),
      [
        userMessage(),
        modelReplied('', createCall('a')),
        userSteered('word '.repeat(400)),
        toolFinished('a'),
        pagingFinished(),
        modelReplied('', createCall('b')),
        { ...userSteered('Go on.'), at: 950 },
        { ...toolFinished('b'), at: 960 },
        modelReplied('', createCall('c')),
        { ...toolFinished('c'), at: 1_500 },
        { ...modelReplied('', createCall('d')), at: 2_000 },
        pagingFinished(),
        modelReplied('The end.'),
      ],
    ),
  ];
}

const steeringBudgets = { modelCalls: 20, toolCalls: null, tokens: null, cost: null, wallMs: 1_000 };

function createSteeredRandomScenarios(startSession: SessionFactory): readonly LogScenario[] {
  return ['pawl', 'nexora', 'savant', 'lkj'].map((profile, index) =>
    createRandomScenario(`1-steered-wander-${profile}`, startSession(profile, { totalPhases: 3 }), {
      seed: 401 + index,
      choose: chooseTalkativeEvent,
    }),
  );
}

/** A person who sends many steering messages. */
function chooseTalkativeEvent(session: Session, throws: SeededDice): Event {
  return throws.chance(20)
    ? { type: 'steered', at: session.turn.since + 1, text: `word ${session.seq}` }
    : choosePlausibleEvent(session, throws);
}
