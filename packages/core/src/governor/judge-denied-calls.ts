import { logPatches, hasLogPatch } from '../log-version.ts';
import type { ToolCall } from '../conversation/message.ts';
import type { ModelReplied, PermissionDecided } from '../event.ts';
import type { Session } from '../session.ts';
import { addTurnVerdict } from '../turn/agenda.ts';
import { isStaleAnswer } from '../turn/stale-answer.ts';
import type { AwaitingPermission, CallingModel } from '../turn/state.ts';
import { createVerdictDraft, type StepDraft } from './step-draft.ts';
import { type CallObservation, observeCall, type Rule, type Verdict } from '@pawl/governor';
import { updateBlockedCalls } from './blocked-calls.ts';
import { observeSession } from './observe-session.ts';

/** Observes calls that a rule denied as failures, because requesting them repeatedly makes no progress. */
export function judgeDeniedCalls(
  screened: StepDraft,
  turn: CallingModel,
  asked: ModelReplied,
  rules: readonly Rule[],
): StepDraft {
  if (!shouldJudgeDenials(screened.session) || screened.notes.length > 0) return screened;
  let { session } = screened;
  for (const { tool, args, permission, because = 'denied' } of asked.calls) {
    if (permission !== 'deny') continue;
    const seen = observeCall({ seq: session.seq + 1, at: asked.at, tool, args, ok: false, output: because });
    const judged = observeDeniedCall(session, seen, rules);
    session = judged.session;
    if (judged.verdict === null) continue;
    const after = { ...session, turn: addTurnVerdict(turn, judged.verdict) };
    return createVerdictDraft(after, screened.event, judged.verdict);
  }
  return session === screened.session ? screened : { ...screened, session };
}

/** Observes a denied permission as a failed call. */
export function judgePermissionDecision(
  session: Session,
  event: PermissionDecided,
  rules: readonly Rule[],
): StepDraft {
  const { turn } = session;
  const isNo = event.decision === 'deny' && shouldJudgeDenials(session);
  const call = isNo && turn.status === 'awaitingPermission' ? findPendingCall(turn, event) : undefined;
  if (call === undefined || turn.status !== 'awaitingPermission') return { session, event, notes: [] };
  const { tool, args } = call;
  const { at, reason = 'denied' } = event;
  const seen = observeCall({ seq: session.seq + 1, at, tool, args, ok: false, output: reason });
  const { session: judged, verdict } = observeDeniedCall(session, seen, rules);
  if (verdict === null) return { session: judged, event, notes: [] };
  return createVerdictDraft({ ...judged, turn: addTurnVerdict(turn, verdict) }, event, verdict);
}

function findPendingCall(turn: AwaitingPermission, event: PermissionDecided): ToolCall | undefined {
  if (isStaleAnswer(turn, event)) return undefined;
  return turn.calls.find(({ call, decision }) => call.id === event.callId && decision === 'pending')?.call;
}

/** In sessions with modes, the mode counts the calls it does not allow. */
function shouldJudgeDenials(session: Session): boolean {
  return session.mode === null && hasLogPatch(session, logPatches.denialsAreSeen);
}

function observeDeniedCall(
  session: Session,
  denied: CallObservation,
  rules: readonly Rule[],
): { readonly session: Session; readonly verdict: Verdict | null } {
  const { session: after, finding, verdict } = observeSession(session, denied, rules);
  const refused = updateBlockedCalls(session.governor, denied, finding);
  return { session: { ...after, governor: { ...after.governor, refused } }, verdict };
}
