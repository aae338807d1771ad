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

/** A scenario to record: the initial session and its events. */
export type LogScenario = {
  readonly name: string;
  /** A one-line description. */
  readonly about: string;
  readonly session: Session;
  readonly events: readonly Event[];
};

export function createScenario(
  name: string,
  about: string,
  session: Session,
  events: readonly UntimedEvent[],
): LogScenario {
  return { name, about, session, events: runEvents(session, ...events).events };
}

/** Returns the event with more fields. */
export function extendEvent(event: UntimedEvent, more: object): UntimedEvent {
  return { ...event, ...more };
}

/** The script provides the model's and the user's events. `run` answers calls, and all other work succeeds. */
export function createServedScenario(
  name: string,
  about: string,
  session: Session,
  {
    script,
    run,
  }: { readonly script: readonly UntimedEvent[]; readonly run: (call: ToolCall) => UntimedEvent },
): LogScenario {
  let nextRun = runEvents(session);
  const left = [...script];
  while (left.length > 0 && !isTerminalSession(nextRun.session)) {
    const { turn } = nextRun.session;
    const isUnserved = turn.status === 'callingModel' || turn.status === 'waitingForUser';
    nextRun = runEvents(nextRun, isUnserved ? takeNextEvent(left, turn.status) : answerTurn(turn, run));
  }
  return { name, about, session, events: nextRun.events };
}

/** Returns the next scripted event, or a filler if it is not the model's or the user's turn. */
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

/** Random events, deterministic for a seed. Events that end the session are skipped until the last tenth. */
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
