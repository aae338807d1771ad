import type { ModelReplied } from '../event.ts';
import type { GovernorState, BlockedCall, Session } from '../session.ts';
import { addTurnVerdict } from '../turn/agenda.ts';
import type { CallingModel } from '../turn/state.ts';
import { createVerdictDraft, type StepDraft } from './step-draft.ts';
import {
  type CallObservation,
  computeCallKey,
  type GradedMatch,
  isNewOutcome,
  type Verdict,
} from '@pawl/governor';

/** Maximum number of blocked calls remembered. */
const blockedCallsMax = 16;

/** How often a blocked call may be requested again before the work is finished. */
const blockedRequestsMax = 2;

/** A block holds until a call succeeds with a new outcome; after that, a retry may behave differently. */
export function updateBlockedCalls(
  { watch: { seen }, refused }: GovernorState,
  observation: CallObservation,
  finding: GradedMatch | null,
): readonly BlockedCall[] {
  if (finding?.level === 'refuse') {
    const { rule, reason, advice } = finding;
    return [
      ...refused.slice(-(blockedCallsMax - 1)),
      { call: observation.call, rule, reason, advice, asked: 0 },
    ];
  }
  if (refused.length === 0) return refused;
  return isNewOutcome([...seen.work, observation], seen.work.length) ? [] : refused;
}

/** Denies blocked calls, and finishes the work if the model keeps requesting them. */
export function denyBlockedCalls(session: Session, turn: CallingModel, event: ModelReplied): StepDraft {
  const keys = event.calls.map((call) => computeCallKey(call.tool, call.args));
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
  const screened = { ...event, calls };
  const insisted = refused.find((each) => each.asked >= blockedRequestsMax);
  if (insisted === undefined) return { session: governed, event: screened, notes: [] };
  const verdict = createInsistenceVerdict(insisted, session.seq + 1);
  return createVerdictDraft({ ...governed, turn: addTurnVerdict(turn, verdict) }, screened, verdict);
}

function createInsistenceVerdict({ rule, reason, advice, asked }: BlockedCall, seq: number): Verdict {
  return {
    level: 'stuck',
    rule,
    reason: `${reason}; it was refused and asked for ${asked} more times`,
    advice,
    evidence: [seq],
    response: { kind: 'finish' },
  };
}
