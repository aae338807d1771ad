import type { Event } from '../event.ts';
import type { Note } from '../note.ts';
import type { Governor, Refusal, Session } from '../session.ts';
import { withVerdict } from '../turn/agenda-events.ts';
import { isStale } from '../turn/refuse.ts';
import type { CallingModel, ExecutingTools } from '../turn/state.ts';
import { callKey, counts, observe, textOf, type Observation } from './observation.ts';
import type { Rule } from './rule.ts';
import type { Verdict } from './verdict.ts';
import { watch, type Finding } from './watch.ts';

/** The session with what the governor makes of an event, before the turn takes it. */
export type Governed = { readonly session: Session; readonly event: Event; readonly notes: readonly Note[] };

/** How many refused calls are remembered. */
const refusedMax = 16;

/** How often a refused call may be asked for before the work is brought to an end. */
const refusalsMax = 2;

/** Looks at the events that tell whether the work moves: calls asked for, and calls ended. */
export function govern(session: Session, event: Event, rules: readonly Rule[]): Governed {
  const { turn } = session;
  if (event.type === 'tool-finished' && turn.status === 'executingTools') {
    return judgeOutcome(session, turn, event, rules);
  }
  if (
    event.type === 'model-replied' &&
    turn.status === 'callingModel' &&
    session.governor.refused.length > 0
  ) {
    return screenCalls(session, turn, event);
  }
  return { session, event, notes: [] };
}

function judgeOutcome(
  session: Session,
  turn: ExecutingTools,
  event: Extract<Event, { type: 'tool-finished' }>,
  rules: readonly Rule[],
): Governed {
  const execution = turn.executions.find((each) => each.call.id === event.callId);
  const { outcome } = event;
  const isNeutral = !outcome.ok && !counts(outcome.error.kind);
  if (isStale(turn, event) || execution === undefined || execution.status === 'completed' || isNeutral) {
    return { session, event, notes: [] };
  }
  const { tool, args } = execution.call;
  const said = outcome.ok ? textOf(outcome.output) : outcome.error.message;
  const observation = observe({ seq: session.seq + 1, tool, args, ok: outcome.ok, said });
  const judged = watch(session.governor.watch, observation, rules);
  const governor = {
    ...session.governor,
    watch: judged.watch,
    refused: refusedAfter(session.governor, observation, judged.finding),
  };
  if (judged.finding === null) return { session: { ...session, governor }, event, notes: [] };
  const verdict = verdictOf(judged.finding);
  const agenda = withVerdict(turn.agenda, verdict);
  return {
    session: { ...session, governor, turn: { ...turn, agenda } },
    event,
    notes: [{ type: 'verdict', at: event.at, verdict }],
  };
}

/** A refusal holds until a call succeeds in a way it has not done before: then the retry is a new experiment. */
function refusedAfter(
  { watch: { window }, refused }: Governor,
  observation: Observation,
  finding: Finding | null,
): readonly Refusal[] {
  if (finding?.level === 'refuse') {
    const { rule, reason, advice } = finding;
    return [...refused.slice(-(refusedMax - 1)), { call: observation.call, rule, reason, advice, asked: 0 }];
  }
  const isNews = observation.error === null && !window.some((each) => each.outcome === observation.outcome);
  return isNews && refused.length > 0 ? [] : refused;
}

/** Denies the calls that were refused, and ends the work when the model will not leave them. */
function screenCalls(
  session: Session,
  turn: CallingModel,
  event: Extract<Event, { type: 'model-replied' }>,
): Governed {
  const keys = event.calls.map((call) => callKey(call.tool, call.args));
  const refused = session.governor.refused.map((each) =>
    keys.includes(each.call) ? { ...each, asked: each.asked + 1 } : each,
  );
  const calls = event.calls.map((call, index) => {
    const refusal = refused.find((each) => each.call === keys[index]);
    return refusal === undefined
      ? call
      : { ...call, permission: 'deny' as const, because: `Not run again: ${refusal.advice}` };
  });
  const governed = { ...session, governor: { ...session.governor, refused } };
  const insisted = refused.find((each) => each.asked >= refusalsMax);
  if (insisted === undefined) return { session: governed, event: { ...event, calls }, notes: [] };
  const verdict = insistence(insisted, session.seq + 1);
  const agenda = withVerdict(turn.ask.agenda, verdict);
  return {
    session: { ...governed, turn: { ...turn, ask: { ...turn.ask, agenda } } },
    event: { ...event, calls },
    notes: [{ type: 'verdict', at: event.at, verdict }],
  };
}

function insistence({ rule, reason, advice, asked }: Refusal, seq: number): Verdict {
  return {
    level: 'stuck',
    rule,
    reason: `${reason}; it was refused and asked for ${asked} more times`,
    advice,
    evidence: [seq],
    response: { kind: 'finish' },
  };
}

function verdictOf({ level, rule, reason, advice, evidence }: Finding): Verdict {
  return {
    level: level === 'advise' ? 'suspect' : 'stuck',
    rule,
    reason,
    advice,
    evidence: evidence.map((each) => each.seq),
    response: { kind: level },
  };
}
