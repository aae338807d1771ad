import {
  eventTypes,
  getUnpausedTurn,
  type ToolCall,
  type Event,
  type PausableTurn,
  type RecoveryOutcome,
  type RequestedCall,
  type VerdictResponse,
  type Session,
} from '../../src/index.ts';
import type { SeededDice } from './seeded-dice.ts';
import * as happens from './event-builders.ts';
import type { UntimedEvent } from './run-events.ts';

/** An event that is likely to mean something in the state of the session: four times in five an answer to it. */
export function choosePlausibleEvent(session: Session, dice: SeededDice): Event {
  const { turn } = session;
  const held = getUnpausedTurn(turn);
  const late = turn.since + dice.below(3_000) - (dice.chance(2) ? 5_000 : 0);
  const event = stampRequest(held, dice, chooseEvent(session, dice));
  return { ...event, at: event.at ?? late };
}

/** A model that asks for the same things over and over, and mostly in vain: work for the governor. */
export function chooseStubbornEvent(session: Session, dice: SeededDice): Event {
  const { turn, seq } = session;
  if (dice.chance(10)) return choosePlausibleEvent(session, dice);
  const at = turn.since + dice.below(3_000);
  if (turn.status === 'callingModel') {
    return {
      ...happens.modelReplied('', {
        ...happens.createCall(`c${seq}`),
        args: dice.pick(['a', 'a', 'a', 'b']),
      }),
      at,
    };
  }
  if (turn.status !== 'executingTools') return choosePlausibleEvent(session, dice);
  const open = turn.executions.filter((each) => each.status !== 'completed').map((each) => each.call);
  const outcome = dice.pick([
    happens.failureOutcome('no such file'),
    happens.failureOutcome('no such file'),
    happens.successOutcome('same'),
  ]);
  return { ...happens.toolFinished(chooseOpenCall(open, dice).id, outcome), at };
}

function chooseEvent({ turn, seq }: Session, dice: SeededDice): UntimedEvent {
  if (turn.status === 'halted' || turn.status === 'shuttingDown') return chooseAnyEvent(dice);
  if (turn.status === 'paused' && dice.chance(50)) return happens.resumeRequested();
  if (dice.chance(80)) return chooseAnswer(turn.status === 'paused' ? turn.held : turn, dice, seq);
  return dice.chance(60) ? chooseInterruption(dice, seq) : chooseAnyEvent(dice);
}

/** Half of the answers carry the right number, most others none, and a few a wrong one. */
function stampRequest(turn: Session['turn'], dice: SeededDice, event: UntimedEvent): UntimedEvent {
  if (!('request' in turn) || dice.chance(40)) return event;
  const request = dice.chance(92) ? turn.request : dice.pick([0, turn.request - 1, turn.request + 1]);
  return isAnswerEvent(event) ? happens.withRequest(request, event) : event;
}

const nonAnswerTypes: ReadonlySet<string> = new Set([
  'user-message',
  'steered',
  'paging-requested',
  'phase-started',
  'phase-completed',
  'verdict-reached',
  'finish-requested',
  'pause-requested',
  'resume-requested',
  'cancel-requested',
  'halt-requested',
  'shutdown-requested',
]);

export function isAnswerEvent({ type }: { readonly type: Event['type'] }): boolean {
  return !nonAnswerTypes.has(type);
}

function chooseAnswer(turn: PausableTurn, dice: SeededDice, seq: number): UntimedEvent {
  switch (turn.status) {
    case 'waitingForUser':
      return dice.chance(85) ? happens.userMessage(`say ${seq}`) : chooseOpening(dice);
    case 'callingModel':
      return chooseModelEvent(dice, seq);
    case 'awaitingPermission':
      return choosePermissionEvent(
        turn.calls.filter((each) => each.decision === 'pending').map((each) => each.call),
        dice,
      );
    case 'executingTools':
      return chooseToolEvent(
        turn.executions.filter((each) => each.status !== 'completed').map((each) => each.call),
        dice,
      );
    case 'postToolsHook':
      return dice.pick([happens.hooksFinished(true), happens.hooksFinished(false), happens.hooksFailed()]);
    case 'errorRecovery':
      return turn.origin === 'tool'
        ? happens.recoveryFinished(chooseRecovery(dice, seq))
        : happens.retryDue();
    case 'paging':
      return dice.pick([happens.pagingFinished(), happens.pagingFinished(), happens.pagingFailed()]);
    default:
      return turn satisfies never;
  }
}

function chooseOpening(dice: SeededDice): UntimedEvent {
  const number = 1 + dice.below(3);
  return dice.pick([
    happens.pagingRequested(),
    happens.phaseStarted(number),
    happens.phaseStarted(number, 'go on with the next part'),
    happens.phaseCompleted(dice.chance(60)),
  ]);
}

function chooseModelEvent(dice: SeededDice, seq: number): UntimedEvent {
  const roll = dice.below(100);
  if (roll < 15) return happens.textDelta();
  if (roll < 20) return happens.callDelta();
  if (roll < 40) return chooseModelFailure(dice);
  const count = dice.pick([0, 1, 1, 2, 3]);
  return happens.modelReplied(dice.pick(['', 'thinking']), ...createRequestedCalls(count, dice, seq));
}

function chooseModelFailure(dice: SeededDice): UntimedEvent {
  const kind = dice.pick(happens.modelErrorKinds);
  const retryAfterMs = dice.pick([undefined, undefined, 0, 5_000, 1_000_000]);
  return happens.modelFailed(
    {
      kind: dice.chance(40) ? 'context-overflow' : kind,
      ...(dice.chance(10) ? { retryable: false } : {}),
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    },
    dice.pick([undefined, 0, 0.25, 1]),
  );
}

/**
 * Calls whose ids are their own in the whole walk, or left out, or the same again. Most ask for one of few things, so
 * that the governor has something to say.
 */
function createRequestedCalls(count: number, dice: SeededDice, seq: number): readonly RequestedCall[] {
  return Array.from({ length: count }, (_, index) => {
    const id = dice.pick([`c${seq}.${index}`, `c${seq}.${index}`, `c${seq}.${index}`, `c${seq}.0`, '']);
    const tool = dice.pick(['read', 'read', 'search', 'edit', 'bash', 'edit_file']);
    const args = { path: dice.pick(['a.txt', 'a.txt', 'b.txt', `${id}.txt`]) };
    return {
      ...happens.createCall(id, tool, dice.pick([undefined, undefined, 'allow', 'ask', 'deny'])),
      args,
    };
  });
}

function choosePermissionEvent(open: readonly ToolCall[], dice: SeededDice): UntimedEvent {
  const { id } = chooseOpenCall(open, dice);
  return dice.chance(70)
    ? happens.permissionAllowed(id)
    : happens.permissionDenied(id, dice.pick([undefined, 'too risky']));
}

function chooseToolEvent(open: readonly ToolCall[], dice: SeededDice): UntimedEvent {
  const { id } = chooseOpenCall(open, dice);
  const roll = dice.below(100);
  if (roll < 20) return happens.toolStarted(id);
  if (roll < 35) return happens.toolProgressed(id, `${roll} %`);
  if (roll < 65) {
    const lines = dice.pick([1, 1, roll]);
    return happens.toolFinished(id, happens.successOutcome({ lines }, dice.pick([undefined, false])));
  }
  if (roll < 69) return happens.toolFinished(id, happens.successOutcome('all done', true));
  const message = dice.pick(['no such file', 'no such file', `failed with ${roll}`]);
  return happens.toolFinished(
    id,
    happens.failureOutcome(message, dice.pick(['failed', 'timeout', 'invalid'])),
  );
}

function chooseRecovery(dice: SeededDice, seq: number): RecoveryOutcome {
  return dice.pick<RecoveryOutcome>([
    { kind: 'ask-model' },
    { kind: 'ask-model', advice: 'try another way' },
    { kind: 'run-tools', calls: createRequestedCalls(dice.below(3), dice, seq) },
    { kind: 'check' },
    { kind: 'give-up', reason: 'no way out' },
    { kind: 'halt', reason: 'no way out at all' },
  ]);
}

/** What may happen at any time. Ends are rare, so that walks are long. */
function chooseInterruption(dice: SeededDice, seq: number): UntimedEvent {
  const roll = dice.below(100);
  if (roll < 20) return chooseOpening(dice);
  if (roll < 35) return happens.userSteered(`steer ${seq}`);
  if (roll < 60) return happens.verdictReached(chooseVerdictResponse(dice, seq));
  if (roll < 70) return happens.finishRequested();
  if (roll < 85) return happens.pauseRequested();
  if (roll < 95) return happens.cancelRequested();
  return roll < 98 ? happens.haltRequested() : happens.shutdownRequested();
}

function chooseVerdictResponse(dice: SeededDice, seq: number): VerdictResponse {
  const kind = dice.pick(['advise', 'run', 'run', 'recover', 'recover', 'recover', 'stop', 'halt']);
  return kind === 'run' ? { kind, calls: createRequestedCalls(1 + dice.below(2), dice, seq) } : { kind };
}

/** Any event, whether it fits or not, but ends remain rare. */
function chooseAnyEvent(dice: SeededDice): UntimedEvent {
  const type = eventTypes[dice.below(eventTypes.length)] ?? 'user-message';
  const isEnd = type === 'halt-requested' || type === 'shutdown-requested';
  return isEnd && dice.chance(80) ? happens.userMessage() : happens.eventSamples[type];
}

function chooseOpenCall(calls: readonly ToolCall[], dice: SeededDice): { readonly id: string } {
  return calls[dice.below(Math.max(1, calls.length))] ?? { id: 'nothing' };
}
