import * as fc from 'fast-check';
import {
  isTerminalSession,
  step,
  type ToolCall,
  type Event,
  type Session,
  type TurnState,
} from '../../src/index.ts';
import { createDice, type SeededDice } from '../helpers/seeded-dice.ts';
import {
  permissionAllowed,
  toolFinished,
  hooksFinished,
  pagingFinished,
  recoveryFinished,
  modelReplied,
  resumeRequested,
  retryDue,
  userMessage,
} from '../helpers/event-builders.ts';
import { runEvents, type UntimedEvent } from '../helpers/run-events.ts';

/** What is to be recorded: how a session begins, and what happens to it. */
export type LogScenario = {
  readonly name: string;
  /** What there is to see in it, in a line. */
  readonly about: string;
  readonly session: Session;
  readonly events: readonly Event[];
};

export function createScenario(
  name: string,
  about: string,
  session: Session,
  happenings: readonly UntimedEvent[],
): LogScenario {
  return { name, about, session, events: runEvents(session, ...happenings).events };
}

/** The same happening with more to say. */
export function extendEvent(happening: UntimedEvent, more: object): UntimedEvent {
  return { ...happening, ...more };
}

/**
 * The model and the user say what is in the script; everything else is answered as it comes: calls by `run`, all other work
 * with success.
 */
export function createServedScenario(
  name: string,
  about: string,
  session: Session,
  {
    script,
    run,
  }: { readonly script: readonly UntimedEvent[]; readonly run: (call: ToolCall) => UntimedEvent },
): LogScenario {
  let told = runEvents(session);
  const left = [...script];
  while (left.length > 0 && !isTerminalSession(told.session)) {
    const { turn } = told.session;
    const isUnserved = turn.status === 'callingModel' || turn.status === 'waitingForUser';
    told = runEvents(told, isUnserved ? takeNextEvent(left, turn.status) : answerTurn(turn, run));
  }
  return { name, about, session, events: told.events };
}

/** What the script has next; something in between where the model has not got the word, or the user has not. */
function takeNextEvent(left: UntimedEvent[], status: string): UntimedEvent {
  const type = left[0]?.type;
  if (type === 'model-replied' && status === 'waitingForUser') return userMessage('Go on.');
  if (type === 'user-message' && status === 'callingModel') return modelReplied('That is all.');
  return left.shift() ?? userMessage();
}

function answerTurn(turn: TurnState, run: (call: ToolCall) => UntimedEvent): UntimedEvent {
  switch (turn.status) {
    case 'awaitingPermission':
      return permissionAllowed(turn.calls.find(({ decision }) => decision === 'pending')?.call.id);
    case 'executingTools': {
      const open = turn.executions.find(({ status }) => status !== 'completed');
      return open === undefined ? toolFinished() : run(open.call);
    }
    case 'postToolsHook':
      return hooksFinished();
    case 'errorRecovery':
      return turn.origin === 'tool' ? recoveryFinished() : retryDue();
    case 'paging':
      return pagingFinished();
    default:
      return resumeRequested();
  }
}

/**
 * Whatever comes, always the same for the same seed: every state with every event that nobody would think of. What would
 * end the session is left out until the last tenth of the way.
 */
export function createRandomScenario(
  name: string,
  session: Session,
  {
    seed,
    choose,
  }: { readonly seed: number; readonly choose: (session: Session, throws: SeededDice) => Event },
): LogScenario {
  const events: Event[] = [];
  let at = session;
  for (const numbers of drawDiceRolls(seed)) {
    const event = choose(at, createDice(numbers));
    const { session: after } = step(at, event);
    if (isTerminalSession(after) && events.length < randomStepCount * 0.9) continue;
    events.push(event);
    at = after;
  }
  return { name, about: `Events at random, mostly such as fit; seed ${seed}.`, session, events };
}

const randomStepCount = 120;

function drawDiceRolls(seed: number): readonly (readonly number[])[] {
  return fc.sample(fc.array(fc.nat(9_999), { minLength: 12, maxLength: 12 }), {
    seed,
    numRuns: randomStepCount,
  });
}
