import { behaviours, isAtLeast } from '../behaviour.ts';
import type { Call } from '../conversation/message.ts';
import type { ModelReplied, PermissionDecided } from '../event.ts';
import type { Session } from '../session.ts';
import { turnWithVerdict } from '../turn/agenda.ts';
import { isStale } from '../turn/stale.ts';
import type { AwaitingPermission, CallingModel } from '../turn/state.ts';
import { withVerdictOn, type Governed } from './governed.ts';
import { observe, type Observation } from './observation.ts';
import { refusedAfter } from './refusals.ts';
import type { Rule } from './rule.ts';
import { see } from './see.ts';
import type { Verdict } from './verdict.ts';

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
    const judged = seeDenied(session, seen, rules);
    session = judged.session;
    if (judged.verdict === null) continue;
    const after = { ...session, turn: turnWithVerdict(turn, judged.verdict) };
    return withVerdictOn(after, screened.event, judged.verdict);
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
  const { session: judged, verdict } = seeDenied(session, seen, rules);
  if (verdict === null) return { session: judged, event, notes: [] };
  return withVerdictOn({ ...judged, turn: turnWithVerdict(turn, verdict) }, event, verdict);
}

function openCall(turn: AwaitingPermission, event: PermissionDecided): Call | undefined {
  if (isStale(turn, event)) return undefined;
  return turn.calls.find(({ call, decision }) => call.id === event.callId && decision === 'pending')?.call;
}

/** Where there are modes, what they do not allow is counted by them. */
function looksAtDenials(session: Session): boolean {
  return session.mode === null && isAtLeast(session, behaviours.denialsAreSeen);
}

function seeDenied(
  session: Session,
  denied: Observation,
  rules: readonly Rule[],
): { readonly session: Session; readonly verdict: Verdict | null } {
  const { session: after, finding, verdict } = see(session, denied, rules);
  const refused = refusedAfter(session.governor, denied, finding);
  return { session: { ...after, governor: { ...after.governor, refused } }, verdict };
}
