import type { Json, Spent, Verdict } from '@pawl/core';
import { keyOf, refusalText, type Following } from './follow.ts';

/** What is to be done about the next request of a conversation. Plain JSON. */
export type Judgement = {
  /** What was found in the latest round of calls, or null. */
  readonly verdict: Verdict | null;
  /** Goes to the very bottom of the next request, in that one only; null when there is nothing to say. */
  readonly advice: string | null;
  /** Whether the next request is to offer no tools, so that what comes back is an answer. */
  readonly dropTools: boolean;
  /** Calls that are not to be run if the model asks for them again, by fingerprint, and what to tell it instead. */
  readonly refuse: readonly { readonly call: string; readonly because: string }[];
  /** Why the work ends with the next reply; null while it may go on. */
  readonly finish: string | null;
  /** The last reply was asked for and has been given: there is nothing more to send. */
  readonly isOver: boolean;
  /** What the conversation has used up so far. */
  readonly spent: Spent;
};

export function judgementOf({ session, verdict }: Following): Judgement {
  const { turn, governor, spent } = session;
  const refuse = governor.refused.map((refusal) => ({ call: refusal.call, because: refusalText(refusal) }));
  const going = { verdict, advice: null, dropTools: false, refuse, finish: null, isOver: false, spent };
  if (turn.status === 'halted') {
    const { reason } = turn.why;
    return { ...going, advice: lastWords(null, reason), dropTools: true, finish: reason, isOver: true };
  }
  if (turn.status !== 'callingModel') return { ...going, advice: marked(governor.advice) };
  const { advice, finish } = turn.ask;
  if (finish === null) return { ...going, advice: marked(advice) };
  return { ...going, advice: lastWords(advice, finish.reason), dropTools: true, finish: finish.reason };
}

/** Why a call is not to be run, in words for the model; null when it may be. */
export function refusalOf(
  { refuse }: Judgement,
  call: { readonly tool: string; readonly args: unknown },
): string | null {
  if (refuse.length === 0) return null;
  const key = keyOf({ tool: call.tool, args: (call.args ?? null) as Json });
  return refuse.find((each) => each.call === key)?.because ?? null;
}

/** The advice stands where a user's message would, so it says that it is none. */
const mark = '[Note from the run’s governor, not from the user]';

function marked(advice: string | null): string | null {
  return advice === null ? null : `${mark} ${advice}`;
}

function lastWords(advice: string | null, reason: string): string {
  return (
    `${mark} ${advice ?? `This work has come to its end: ${reason}.`} ` +
    'There are no tools any more and this is your last reply: answer with what you have found out, say what you could not ' +
    'do and why, and what is left to do.'
  );
}
