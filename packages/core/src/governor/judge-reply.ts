import type { Event, ModelReplied } from '../event.ts';
import type { Session } from '../session.ts';
import { createSessionFinish, addTurnVerdict } from '../turn/agenda.ts';
import type { CallingModel } from '../turn/state.ts';
import { findRepetitionLoop, observeText, type RepetitionLoop, type Rule } from '@pawl/governor';
import { createHaltEvent, createVerdictDraft, type StepDraft } from './step-draft.ts';
import { judgeDeniedCalls } from './judge-denied-calls.ts';
import { denyBlockedCalls } from './blocked-calls.ts';
import { observeSession } from './observe-session.ts';

/**
 * Judges a model reply: blocked or denied calls, a repetition loop, or text only. The answer to a last call is not
 * judged.
 */
export function judgeReply(
  session: Session,
  turn: CallingModel,
  event: ModelReplied,
  rules: readonly Rule[],
): StepDraft {
  if (turn.ask.finish !== null) return { session, event, notes: [] };
  if (event.problem !== undefined) return judgeUnreadableReply(session, turn, event, rules);
  if (event.calls.length > 0) {
    const screened =
      session.governor.refused.length === 0
        ? { session, event, notes: [] }
        : denyBlockedCalls(session, turn, event);
    return event.calls.some(({ permission }) => permission === 'deny')
      ? judgeDeniedCalls(screened, turn, event, rules)
      : screened;
  }
  const chant = rules.some((rule) => rule.on === 'chant') ? findRepetitionLoop(event.text) : null;
  return chant === null
    ? judgeTextReply(session, turn, event, rules)
    : judgeRepetitionLoop(session, turn, { event, chant, rules });
}

/** Judges a reply that could not be parsed. */
function judgeUnreadableReply(
  session: Session,
  turn: CallingModel,
  event: ModelReplied,
  rules: readonly Rule[],
): StepDraft {
  const sighting = { kind: 'decision', seq: session.seq + 1, request: turn.request } as const;
  const { session: governed, verdict } = observeSession(session, sighting, rules);
  if (verdict === null) return { session: governed, event, notes: [] };
  return createVerdictDraft({ ...governed, turn: addTurnVerdict(turn, verdict) }, event, verdict);
}

/**
 * Judges a text-only reply. It ends the turn, so advice on it waits for the next model call; if the verdict finishes
 * the work, this reply stands as the last answer.
 */
function judgeTextReply(
  session: Session,
  turn: CallingModel,
  event: ModelReplied,
  rules: readonly Rule[],
): StepDraft {
  const { session: seen, verdict } = observeSession(session, observeText(session.seq + 1, event.text), rules);
  const governor = { ...seen.governor, advice: null };
  if (verdict === null) return { session: { ...session, governor }, event, notes: [] };
  const governed =
    verdict.response.kind === 'finish'
      ? {
          ...session,
          governor,
          turn: { ...turn, ask: { ...turn.ask, finish: createSessionFinish(verdict) } },
        }
      : { ...session, governor: { ...governor, advice: verdict.advice } };
  return createVerdictDraft(governed, event, verdict);
}

/** Turns a repetition loop into a model failure, so that the model is called again with advice about it. */
function judgeRepetitionLoop(
  session: Session,
  turn: CallingModel,
  {
    event,
    chant,
    rules,
  }: { readonly event: ModelReplied; readonly chant: RepetitionLoop; readonly rules: readonly Rule[] },
): StepDraft {
  const block = chant.block.slice(0, repetitionQuoteMax);
  const sighting = { kind: 'chant', seq: session.seq + 1, block, times: chant.times } as const;
  const { session: governed, verdict } = observeSession(session, sighting, rules);
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
    return { session: governed, event: createHaltEvent(verdict, at), notes: [] };
  }
  const ask = { ...turn.ask, advice: verdict.advice };
  return createVerdictDraft({ ...governed, turn: { ...turn, ask } }, failed, verdict);
}

/** Maximum length of the quoted block, in characters. */
const repetitionQuoteMax = 120;
