import { behaviours, isAtLeast } from '../behaviour.ts';
import type { Call } from '../conversation/message.ts';
import type { ModelReplied, PermissionDecided } from '../event.ts';
import type { Session } from '../session.ts';
import { withVerdict } from '../turn/agenda.ts';
import { isStale } from '../turn/refuse.ts';
import type { AwaitingPermission, CallingModel } from '../turn/state.ts';
import { withVerdictOn, type Governed } from './governed.ts';
import { observe, type Observation } from './observation.ts';
import { refusedAfter } from './refusals.ts';
import type { Rule } from './rule.ts';
import { verdictOn, type Verdict } from './verdict.ts';
import { watch } from './watch.ts';

/** What a rule forbids is an outcome like any other: asked for over and over, it leads nowhere. */
export function judgeDenied(
  screened: Governed,
  turn: CallingModel,
  asked: ModelReplied,
  rules: readonly Rule[],
): Governed {
  if (!looksAtDenials(screened.session) || screened.notes.length > 0) return screened;
  let { session } = screened;
  for (const { tool, args, permission, because = 'denied' } of asked.calls) {
    if (permission !== 'deny') continue;
    const seen = observe({ seq: session.seq + 1, at: asked.at, tool, args, ok: false, said: because });
    const judged = see(session, seen, rules);
    session = judged.session;
    if (judged.verdict === null) continue;
    const ask = { ...turn.ask, agenda: withVerdict(turn.ask.agenda, judged.verdict) };
    return withVerdictOn({ ...session, turn: { ...turn, ask } }, screened.event, judged.verdict);
  }
  return session === screened.session ? screened : { ...screened, session };
}

/** So is what a person, or nobody, says no to. */
export function judgeDecision(session: Session, event: PermissionDecided, rules: readonly Rule[]): Governed {
  const { turn } = session;
  const isNo = event.decision === 'deny' && looksAtDenials(session);
  const call = isNo && turn.status === 'awaitingPermission' ? openCall(turn, event) : undefined;
  if (call === undefined || turn.status !== 'awaitingPermission') return { session, event, notes: [] };
  const { tool, args } = call;
  const { at, reason = 'denied' } = event;
  const seen = observe({ seq: session.seq + 1, at, tool, args, ok: false, said: reason });
  const judged = see(session, seen, rules);
  if (judged.verdict === null) return { session: judged.session, event, notes: [] };
  const agenda = withVerdict(turn.agenda, judged.verdict);
  return withVerdictOn({ ...judged.session, turn: { ...turn, agenda } }, event, judged.verdict);
}

function openCall(turn: AwaitingPermission, event: PermissionDecided): Call | undefined {
  if (isStale(turn, event)) return undefined;
  return turn.calls.find(({ call, decision }) => call.id === event.callId && decision === 'pending')?.call;
}

/** Where there are modes, what they do not allow is counted by them. */
function looksAtDenials(session: Session): boolean {
  return session.mode === null && isAtLeast(session, behaviours.denialsAreSeen);
}

function see(
  session: Session,
  seen: Observation,
  rules: readonly Rule[],
): { readonly session: Session; readonly verdict: Verdict | null } {
  const { governor, settings } = session;
  const judged = watch(governor.watch, seen, rules);
  const refused = refusedAfter(governor, seen, judged.finding);
  const after = { ...session, governor: { ...governor, watch: judged.watch, refused } };
  const { finding } = judged;
  return { session: after, verdict: finding === null ? null : verdictOn(finding, settings.governor, null) };
}
