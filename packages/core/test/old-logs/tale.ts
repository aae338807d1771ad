import * as fc from 'fast-check';
import { isTerminal, step, type Call, type Event, type Session, type Turn } from '../../src/index.ts';
import { dice, type Dice } from '../helpers/dice.ts';
import {
  allows,
  finishes,
  hooksFinish,
  paged,
  recovers,
  replies,
  resumes,
  retryIsDue,
  says,
} from '../helpers/happenings.ts';
import { tell, type Happening } from '../helpers/tell.ts';

/** What is to be recorded: how a session begins, and what happens to it. */
export type Tale = {
  readonly name: string;
  /** What there is to see in it, in a line. */
  readonly about: string;
  readonly session: Session;
  readonly events: readonly Event[];
};

export function tale(name: string, about: string, session: Session, happenings: readonly Happening[]): Tale {
  return { name, about, session, events: tell(session, ...happenings).events };
}

/** The same happening with more to say. */
export function saying(happening: Happening, more: object): Happening {
  return { ...happening, ...more };
}

/**
 * The model and the user say what is in the script; everything else is answered as it comes: calls by `run`, all other work
 * with success.
 */
export function serve(
  name: string,
  about: string,
  session: Session,
  { script, run }: { readonly script: readonly Happening[]; readonly run: (call: Call) => Happening },
): Tale {
  let told = tell(session);
  const left = [...script];
  while (left.length > 0 && !isTerminal(told.session)) {
    const { turn } = told.session;
    const isUnserved = turn.status === 'callingModel' || turn.status === 'waitingForUser';
    told = tell(told, isUnserved ? nextOf(left, turn.status) : answerTo(turn, run));
  }
  return { name, about, session, events: told.events };
}

/** What the script has next; something in between where the model has not got the word, or the user has not. */
function nextOf(left: Happening[], status: string): Happening {
  const type = left[0]?.type;
  if (type === 'model-replied' && status === 'waitingForUser') return says('Go on.');
  if (type === 'user-message' && status === 'callingModel') return replies('That is all.');
  return left.shift() ?? says();
}

function answerTo(turn: Turn, run: (call: Call) => Happening): Happening {
  switch (turn.status) {
    case 'awaitingPermission':
      return allows(turn.calls.find(({ decision }) => decision === 'pending')?.call.id);
    case 'executingTools': {
      const open = turn.executions.find(({ status }) => status !== 'completed');
      return open === undefined ? finishes() : run(open.call);
    }
    case 'postToolsHook':
      return hooksFinish();
    case 'errorRecovery':
      return turn.origin === 'tool' ? recovers() : retryIsDue();
    case 'paging':
      return paged();
    default:
      return resumes();
  }
}

/**
 * Whatever comes, always the same for the same seed: every state with every event that nobody would think of. What would
 * end the session is left out until the last tenth of the way.
 */
export function wander(
  name: string,
  session: Session,
  { seed, choose }: { readonly seed: number; readonly choose: (session: Session, throws: Dice) => Event },
): Tale {
  const events: Event[] = [];
  let at = session;
  for (const numbers of throwsOf(seed)) {
    const event = choose(at, dice(numbers));
    const { session: after } = step(at, event);
    if (isTerminal(after) && events.length < strides * 0.9) continue;
    events.push(event);
    at = after;
  }
  return { name, about: `Events at random, mostly such as fit; seed ${seed}.`, session, events };
}

const strides = 120;

function throwsOf(seed: number): readonly (readonly number[])[] {
  return fc.sample(fc.array(fc.nat(9_999), { minLength: 12, maxLength: 12 }), { seed, numRuns: strides });
}
