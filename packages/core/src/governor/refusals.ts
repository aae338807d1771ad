import type { ModelReplied } from '../event.ts';
import type { Governor, Refusal, Session } from '../session.ts';
import { turnWithVerdict } from '../turn/agenda.ts';
import type { CallingModel } from '../turn/state.ts';
import { withVerdictOn, type Governed } from './governed.ts';
import { callKey, type Observation } from './observation.ts';
import { isNews } from './rules/tail.ts';
import type { Verdict } from './verdict.ts';
import type { Finding } from './watch.ts';

/** How many refused calls are remembered. */
const refusedMax = 16;

/** How often a refused call may be asked for before the work is brought to an end. */
const refusalsMax = 2;

/** A refusal holds until a call succeeds in a way it has not done before: then the retry is a new experiment. */
export function refusedAfter(
  { watch: { seen }, refused }: Governor,
  observation: Observation,
  finding: Finding | null,
): readonly Refusal[] {
  if (finding?.level === 'refuse') {
    const { rule, reason, advice } = finding;
    return [...refused.slice(-(refusedMax - 1)), { call: observation.call, rule, reason, advice, asked: 0 }];
  }
  if (refused.length === 0) return refused;
  return isNews([...seen.work, observation], seen.work.length) ? [] : refused;
}

/** Denies the calls that were refused, and ends the work when the model will not leave them. */
export function screenCalls(session: Session, turn: CallingModel, event: ModelReplied): Governed {
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
  const screened = { ...event, calls };
  const insisted = refused.find((each) => each.asked >= refusalsMax);
  if (insisted === undefined) return { session: governed, event: screened, notes: [] };
  const verdict = insistence(insisted, session.seq + 1);
  return withVerdictOn({ ...governed, turn: turnWithVerdict(turn, verdict) }, screened, verdict);
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
