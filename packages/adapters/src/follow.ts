import {
  createSession,
  isTerminal,
  observe,
  pawlRecoveries,
  step,
  type Event,
  type Json,
  type RecordedStep,
  type Refusal,
  type Session,
  type Verdict,
} from '@pawl/core';
import { readsLikeFailure } from './failure.ts';
import type { GovernOptions } from './options.ts';
import type { Round } from './rounds.ts';

/*
 * A host's conversation, told to the machine of the runtime as the events it would have been there. So the rules, the ladder,
 * the refusals and the budgets are not written a second time, and mean the same in every host.
 */

/** Where a conversation has come to. Plain JSON, and a function of its rounds and their times. */
export type Following = {
  readonly session: Session;
  /** What was found in the latest round. */
  readonly verdict: Verdict | null;
  /** The latest things that were said: a harness that says the same after every step is not a person. */
  readonly said: readonly string[];
  /** How many rounds had something to say. */
  readonly rounds: number;
};

/** Where nobody tells the time, a round counts as this long. */
const roundMs = 30_000;

const saidMax = 32;

export function beginFollowing(options: GovernOptions): Following {
  return { session: newSession(options), verdict: null, said: [], rounds: 0 };
}

/** Takes in one round. `at` is when it came; null where nobody knows. */
export function follow(
  before: Following,
  round: Round,
  options: GovernOptions,
  at: number | null,
): Following {
  const rounds = before.rounds + 1;
  const after = taken(before, round, options, at ?? rounds * roundMs);
  return after === before ? before : { ...after, rounds };
}

function taken(before: Following, round: Round, options: GovernOptions, at: number): Following {
  switch (round.type) {
    case 'person':
      return hear(before, round.text, options, at);
    case 'reply':
      return answer(before, round.steps, options, at);
    case 'nothing':
      return before;
    default:
      return round satisfies never;
  }
}

/**
 * A host runs no call of ours and waits for nobody, so what is known to help against an error is said, and the call that
 * keeps failing is refused.
 */
const recoveries = pawlRecoveries.map((recovery) => ({ ...recovery, remedy: { do: 'refuse' } as const }));

const noBudgets = { modelCalls: null, toolCalls: null, tokens: null, cost: null, wallMs: null };

function newSession({ rules = {}, budgets }: GovernOptions): Session {
  return createSession({
    id: 'conversation',
    at: 0,
    settings: {
      governor: { preset: 'pawl', rules, recoveries },
      // Without limits nothing is held to them, and what is used up is counted all the same.
      budgets: { ...noBudgets, ...budgets },
      mutatingTools: [],
      finishMs: null,
    },
  });
}

/** A person's word starts the work afresh; only what was used up stays used up. */
function hear(before: Following, text: string, options: GovernOptions, at: number): Following {
  const automatic = before.said.includes(text);
  const said = automatic ? before.said : [...before.said.slice(1 - saidMax), text];
  const { turn } = before.session;
  const isAtWork = turn.status !== 'waitingForUser';
  if (automatic && isAtWork) return before;
  if (turn.status === 'halted' && turn.why.kind === 'budget') return { ...before, said };
  const ready = isTerminal(before.session)
    ? { ...newSession(options), spent: before.session.spent }
    : take(before.session, { type: 'cancel-requested', at }, options).session;
  const { session } = take(ready, { type: 'user-message', at, text, automatic }, options);
  return { ...before, session, said, verdict: null };
}

/** A reply with the results of its calls. Calls without one were called off. */
function answer(
  before: Following,
  steps: readonly RecordedStep[],
  options: GovernOptions,
  at: number,
): Following {
  if (isTerminal(before.session)) return before;
  const calls = steps.filter(({ tool }) => tool !== undefined);
  const asked = withoutUnheeded(asking(before.session, options, at), calls);
  let { session, verdict } = take(asked, repliedWith(steps, calls, at), options);
  for (const [index, call] of calls.entries()) {
    const next = take(session, finishedWith(call, index, options, at), options);
    session = next.session;
    verdict = graver(verdict, next.verdict);
  }
  return { ...before, session, verdict };
}

/** Conversations may begin with a reply, or have one after another: then somebody said to go on. */
function asking(session: Session, options: GovernOptions, at: number): Session {
  if (session.turn.status === 'callingModel') return session;
  const ready = take(session, { type: 'cancel-requested', at }, options).session;
  return take(ready, { type: 'user-message', at, text: '', automatic: true }, options).session;
}

/** A refusal that the host did not heed is none: the call was made, and what came of it counts like anything else. */
function withoutUnheeded(session: Session, calls: readonly RecordedStep[]): Session {
  const { refused } = session.governor;
  if (refused.length === 0) return session;
  const made = calls.filter(isAnswered).map((call) => ({ key: keyOf(call), said: saidBy(call) }));
  const heeded = refused.filter(
    ({ call, advice }) => !made.some(({ key, said }) => key === call && !said.includes(advice)),
  );
  return { ...session, governor: { ...session.governor, refused: heeded } };
}

function repliedWith(steps: readonly RecordedStep[], calls: readonly RecordedStep[], at: number): Event {
  return {
    type: 'model-replied',
    at,
    text: steps.flatMap(({ text = '' }) => (text === '' ? [] : [text])).join('\n'),
    calls: calls.map(({ tool = '', args = null }, index) => ({ id: idAt(index), tool, args })),
    usage: {
      inputTokens: sum(steps.map(({ inputTokens = 0 }) => inputTokens)),
      outputTokens: sum(steps.map(({ tokens = 0 }) => tokens)),
    },
  };
}

function finishedWith(call: RecordedStep, index: number, options: GovernOptions, at: number): Event {
  const { isFailure = readsLikeFailure } = options;
  const said = saidBy(call);
  const failed = call.error ?? isFailure(said);
  const kind = isAnswered(call) ? 'failed' : 'cancelled';
  return {
    type: 'tool-finished',
    at,
    callId: idAt(index),
    outcome:
      failed || kind === 'cancelled'
        ? { ok: false, error: { kind, message: said } }
        : { ok: true, output: call.result ?? null },
  };
}

function take(
  before: Session,
  event: Event,
  { ownRules }: GovernOptions,
): { readonly session: Session; readonly verdict: Verdict | null } {
  const { session, notes } = step(before, event, ownRules);
  let verdict: Verdict | null = null;
  for (const note of notes) if (note.type === 'verdict') verdict = graver(verdict, note.verdict);
  return { session, verdict };
}

function graver(a: Verdict | null, b: Verdict | null): Verdict | null {
  if (a === null || b === null) return a ?? b;
  return a.response.kind === 'finish' ? a : b;
}

/** What a call has in common with the same call made again, however it is written. */
export function keyOf({ tool = '', args = null }: { readonly tool?: string; readonly args?: Json }): string {
  return observe({ seq: 0, tool, args, ok: true, said: '' }).call;
}

/** What the model is told in the place of a refused call's result. */
export function refusalText({ advice }: Pick<Refusal, 'advice'>): string {
  return `Not run again: ${advice}`;
}

function isAnswered({ result, error }: RecordedStep): boolean {
  return result !== undefined || error !== undefined;
}

function saidBy({ result = '' }: RecordedStep): string {
  return typeof result === 'string' ? result : JSON.stringify(result);
}

function idAt(index: number): string {
  return `call_${index}`;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
