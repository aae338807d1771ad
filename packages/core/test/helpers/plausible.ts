import {
  eventTypes,
  unpaused,
  type Call,
  type Event,
  type Held,
  type RecoveryOutcome,
  type RequestedCall,
  type Response,
  type Session,
} from '../../src/index.ts';
import type { Dice } from './dice.ts';
import * as happens from './happenings.ts';
import type { Happening } from './tell.ts';

/** An event that is likely to mean something in the state of the session: four times in five an answer to it. */
export function plausible(session: Session, dice: Dice): Event {
  const { turn } = session;
  const held = unpaused(turn);
  const late = turn.since + dice.below(3_000) - (dice.chance(2) ? 5_000 : 0);
  const happening = stamped(held, dice, choose(session, dice));
  return { ...happening, at: happening.at ?? late };
}

/** A model that asks for the same things over and over, and mostly in vain: work for the governor. */
export function stubborn(session: Session, dice: Dice): Event {
  const { turn, seq } = session;
  if (dice.chance(10)) return plausible(session, dice);
  const at = turn.since + dice.below(3_000);
  if (turn.status === 'callingModel') {
    return {
      ...happens.replies('', { ...happens.call(`c${seq}`), args: dice.pick(['a', 'a', 'a', 'b']) }),
      at,
    };
  }
  if (turn.status !== 'executingTools') return plausible(session, dice);
  const open = turn.executions.filter((each) => each.status !== 'completed').map((each) => each.call);
  const outcome = dice.pick([
    happens.broke('no such file'),
    happens.broke('no such file'),
    happens.worked('same'),
  ]);
  return { ...happens.finishes(oneOf(open, dice).id, outcome), at };
}

function choose({ turn, seq }: Session, dice: Dice): Happening {
  if (turn.status === 'halted' || turn.status === 'shuttingDown') return anything(dice);
  if (turn.status === 'paused' && dice.chance(50)) return happens.resumes();
  if (dice.chance(80)) return answer(turn.status === 'paused' ? turn.held : turn, dice, seq);
  return dice.chance(60) ? meanwhile(dice, seq) : anything(dice);
}

/** Half of the answers carry the right number, most others none, and a few a wrong one. */
function stamped(turn: Session['turn'], dice: Dice, happening: Happening): Happening {
  if (!('request' in turn) || dice.chance(40)) return happening;
  const request = dice.chance(92) ? turn.request : dice.pick([0, turn.request - 1, turn.request + 1]);
  return isAnswer(happening) ? happens.answering(request, happening) : happening;
}

const unasked: ReadonlySet<string> = new Set([
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

export function isAnswer({ type }: { readonly type: Event['type'] }): boolean {
  return !unasked.has(type);
}

function answer(turn: Held, dice: Dice, seq: number): Happening {
  switch (turn.status) {
    case 'waitingForUser':
      return dice.chance(85) ? happens.says(`say ${seq}`) : opening(dice);
    case 'callingModel':
      return fromModel(dice, seq);
    case 'awaitingPermission':
      return fromPerson(
        turn.calls.filter((each) => each.decision === 'pending').map((each) => each.call),
        dice,
      );
    case 'executingTools':
      return fromTool(
        turn.executions.filter((each) => each.status !== 'completed').map((each) => each.call),
        dice,
      );
    case 'postToolsHook':
      return dice.pick([happens.hooksFinish(true), happens.hooksFinish(false), happens.hooksFail()]);
    case 'errorRecovery':
      return turn.origin === 'tool' ? happens.recovers(wayOut(dice, seq)) : happens.retryIsDue();
    case 'paging':
      return dice.pick([happens.paged(), happens.paged(), happens.pagingFails()]);
    default:
      return turn satisfies never;
  }
}

function opening(dice: Dice): Happening {
  const number = 1 + dice.below(3);
  return dice.pick([
    happens.asksToPage(),
    happens.startsPhase(number),
    happens.startsPhase(number, 'go on with the next part'),
    happens.endsPhase(dice.chance(60)),
  ]);
}

function fromModel(dice: Dice, seq: number): Happening {
  const roll = dice.below(100);
  if (roll < 15) return happens.writes();
  if (roll < 20) return happens.writesCall();
  if (roll < 40) return failing(dice);
  const count = dice.pick([0, 1, 1, 2, 3]);
  return happens.replies(dice.pick(['', 'thinking']), ...requested(count, dice, seq));
}

function failing(dice: Dice): Happening {
  const kind = dice.pick(happens.modelErrorKinds);
  const retryAfterMs = dice.pick([undefined, undefined, 0, 5_000, 1_000_000]);
  return happens.fails(
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
function requested(count: number, dice: Dice, seq: number): readonly RequestedCall[] {
  return Array.from({ length: count }, (_, index) => {
    const id = dice.pick([`c${seq}.${index}`, `c${seq}.${index}`, `c${seq}.${index}`, `c${seq}.0`, '']);
    const tool = dice.pick(['read', 'read', 'search', 'edit', 'bash', 'edit_file']);
    const args = { path: dice.pick(['a.txt', 'a.txt', 'b.txt', `${id}.txt`]) };
    return { ...happens.call(id, tool, dice.pick([undefined, undefined, 'allow', 'ask', 'deny'])), args };
  });
}

function fromPerson(open: readonly Call[], dice: Dice): Happening {
  const { id } = oneOf(open, dice);
  return dice.chance(70) ? happens.allows(id) : happens.denies(id, dice.pick([undefined, 'too risky']));
}

function fromTool(open: readonly Call[], dice: Dice): Happening {
  const { id } = oneOf(open, dice);
  const roll = dice.below(100);
  if (roll < 20) return happens.starts(id);
  if (roll < 35) return happens.reports(id, `${roll} %`);
  if (roll < 65) {
    const lines = dice.pick([1, 1, roll]);
    return happens.finishes(id, happens.worked({ lines }, dice.pick([undefined, false])));
  }
  if (roll < 69) return happens.finishes(id, happens.worked('all done', true));
  const message = dice.pick(['no such file', 'no such file', `failed with ${roll}`]);
  return happens.finishes(id, happens.broke(message, dice.pick(['failed', 'timeout', 'invalid'])));
}

function wayOut(dice: Dice, seq: number): RecoveryOutcome {
  return dice.pick<RecoveryOutcome>([
    { kind: 'ask-model' },
    { kind: 'ask-model', advice: 'try another way' },
    { kind: 'run-tools', calls: requested(dice.below(3), dice, seq) },
    { kind: 'check' },
    { kind: 'give-up', reason: 'no way out' },
    { kind: 'halt', reason: 'no way out at all' },
  ]);
}

/** What may happen at any time. Ends are rare, so that walks are long. */
function meanwhile(dice: Dice, seq: number): Happening {
  const roll = dice.below(100);
  if (roll < 20) return opening(dice);
  if (roll < 35) return happens.steers(`steer ${seq}`);
  if (roll < 60) return happens.judged(response(dice, seq));
  if (roll < 70) return happens.asksToFinish();
  if (roll < 85) return happens.pauses();
  if (roll < 95) return happens.cancels();
  return roll < 98 ? happens.halts() : happens.shutsDown();
}

function response(dice: Dice, seq: number): Response {
  const kind = dice.pick(['advise', 'run', 'run', 'recover', 'recover', 'recover', 'finish', 'halt']);
  return kind === 'run' ? { kind, calls: requested(1 + dice.below(2), dice, seq) } : { kind };
}

/** Any event, whether it fits or not, but ends remain rare. */
function anything(dice: Dice): Happening {
  const type = eventTypes[dice.below(eventTypes.length)] ?? 'user-message';
  const isEnd = type === 'halt-requested' || type === 'shutdown-requested';
  return isEnd && dice.chance(80) ? happens.says() : happens.oneOfEach[type];
}

function oneOf(calls: readonly Call[], dice: Dice): { readonly id: string } {
  return calls[dice.below(Math.max(1, calls.length))] ?? { id: 'nothing' };
}
