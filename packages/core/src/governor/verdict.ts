import type { RequestedCall } from '../event.ts';
import type { GovernorSettings } from '../settings.ts';
import { recoveryFor, remedyCalls, type Failure, type Recovery } from './recovery.ts';
import type { Level } from './rule.ts';
import type { Finding } from './watch.ts';

/** What a verdict asks the turn machine to do about it, mildest first. */
export type Response =
  | { readonly kind: 'advise' }
  | { readonly kind: 'refuse' }
  | { readonly kind: 'run'; readonly calls: readonly RequestedCall[] }
  | { readonly kind: 'recover'; readonly waitMs?: number }
  | { readonly kind: 'ask' }
  | { readonly kind: 'finish' }
  | { readonly kind: 'halt' };

/** A judgement on the work so far: which rule, why, the events that prove it, and what to do instead. */
export type Verdict = {
  readonly level: 'suspect' | 'stuck';
  readonly rule: string;
  readonly reason: string;
  readonly advice: string;
  /** Sequence numbers of the events that prove it. */
  readonly evidence: readonly number[];
  /** Sequence numbers of events since then that speak against it. */
  readonly counterEvidence?: readonly number[];
  readonly response: Response;
};

/** The verdict on a finding. What is known to help against the error at hand is said, and at the second rung done. */
export function verdictOn(finding: Finding, settings: GovernorSettings, failure: Failure | null): Verdict {
  const { level, rule, reason, advice, evidence, counterEvidence } = finding;
  const recovery = failure === null ? null : recoveryFor(settings.recoveries, failure);
  return {
    level: level === 'advise' ? 'suspect' : 'stuck',
    rule,
    reason,
    advice: recovery === null ? advice : `${advice} ${recovery.advice}`,
    evidence: evidence.map(({ seq }) => seq),
    counterEvidence: counterEvidence.map(({ seq }) => seq),
    response: responseTo(
      level,
      settings,
      recovery === null || failure === null ? null : { recovery, failure },
    ),
  };
}

function responseTo(
  level: Level,
  { attended = false }: GovernorSettings,
  known: { readonly recovery: Recovery; readonly failure: Failure } | null,
): Response {
  if (level === 'ask') return { kind: attended ? 'ask' : 'finish' };
  if (level !== 'refuse' || known === null) return { kind: level };
  const { remedy } = known.recovery;
  if (remedy.do === 'wait') return { kind: 'recover', waitMs: remedy.ms };
  if (remedy.do === 'ask' && attended) return { kind: 'ask' };
  const calls = remedyCalls(remedy, known.failure);
  return calls === null ? { kind: 'refuse' } : { kind: 'run', calls };
}
