import type { Event, ModelReplied } from '../event.ts';
import type { Session } from '../session.ts';
import { endOfSession, turnWithVerdict } from '../turn/agenda.ts';
import type { CallingModel } from '../turn/state.ts';
import { findChant, type Chant } from './chant.ts';
import { halting, withVerdictOn, type Governed } from './governed.ts';
import { judgeDenied } from './judge-denied.ts';
import { screenCalls } from './refusals.ts';
import type { Rule } from './rule.ts';
import { see } from './see.ts';
import { talk } from './talk.ts';

/** Looks at what the model said: calls that are refused, a chant, or mere talk. The last answer is beyond judgement. */
export function judgeReply(
  session: Session,
  turn: CallingModel,
  event: ModelReplied,
  rules: readonly Rule[],
): Governed {
  if (turn.ask.finish !== null) return { session, event, notes: [] };
  if (event.problem !== undefined) return judgeProblem(session, turn, event, rules);
  if (event.calls.length > 0) {
    const screened =
      session.governor.refused.length === 0
        ? { session, event, notes: [] }
        : screenCalls(session, turn, event);
    return event.calls.some(({ permission }) => permission === 'deny')
      ? judgeDenied(screened, turn, event, rules)
      : screened;
  }
  const chant = rules.some((rule) => rule.on === 'chant') ? findChant(event.text) : null;
  return chant === null
    ? judgeTalk(session, turn, event, rules)
    : judgeChant(session, turn, { event, chant, rules });
}

/** Nobody could make sense of the reply. */
function judgeProblem(
  session: Session,
  turn: CallingModel,
  event: ModelReplied,
  rules: readonly Rule[],
): Governed {
  const sighting = { kind: 'decision', seq: session.seq + 1, request: turn.request } as const;
  const { session: governed, verdict } = see(session, sighting, rules);
  if (verdict === null) return { session: governed, event, notes: [] };
  return withVerdictOn({ ...governed, turn: turnWithVerdict(turn, verdict) }, event, verdict);
}

/**
 * Talk ends the turn, so advice on it waits for the next. Talk that is to end the work is its last word: it stands as the
 * answer.
 */
function judgeTalk(
  session: Session,
  turn: CallingModel,
  event: ModelReplied,
  rules: readonly Rule[],
): Governed {
  const { session: seen, verdict } = see(session, talk(session.seq + 1, event.text), rules);
  const governor = { ...seen.governor, advice: null };
  if (verdict === null) return { session: { ...session, governor }, event, notes: [] };
  const governed =
    verdict.response.kind === 'finish'
      ? { ...session, governor, turn: { ...turn, ask: { ...turn.ask, finish: endOfSession(verdict) } } }
      : { ...session, governor: { ...governor, advice: verdict.advice } };
  return withVerdictOn(governed, event, verdict);
}

/** A chant is no reply: the model is asked again, with a word about it, as if it had failed. */
function judgeChant(
  session: Session,
  turn: CallingModel,
  {
    event,
    chant,
    rules,
  }: { readonly event: ModelReplied; readonly chant: Chant; readonly rules: readonly Rule[] },
): Governed {
  const block = chant.block.slice(0, blockMax);
  const sighting = { kind: 'chant', seq: session.seq + 1, block, times: chant.times } as const;
  const { session: governed, verdict } = see(session, sighting, rules);
  const { at, request } = event;
  const message = `The reply says one thing over and over: “${block}”, ${chant.times} times in a row.`;
  const failed: Event = {
    type: 'model-failed',
    at,
    ...(request !== undefined && { request }),
    error: { kind: 'chanting', message },
  };
  if (verdict === null) return { session: governed, event: failed, notes: [] };
  if (verdict.response.kind === 'finish') {
    return { session: governed, event: halting(verdict, at), notes: [] };
  }
  const ask = { ...turn.ask, advice: verdict.advice };
  return withVerdictOn({ ...governed, turn: { ...turn, ask } }, failed, verdict);
}

/** How much of a chant is quoted. */
const blockMax = 120;
