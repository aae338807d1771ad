import type { RequestedCall } from './call-ids.ts';
import type { GovernorSettings } from './governor-settings.ts';
import {
  findRecovery,
  buildRequestedCalls,
  type RecoverableFailure,
  type KnownRecovery,
} from './recovery.ts';
import type { RuleSeverity } from './rules/rule.ts';
import type { GradedMatch } from './detector.ts';

/** How the turn machine responds to a verdict, mildest first. */
export type VerdictResponse =
  | { readonly kind: 'advise' }
  | { readonly kind: 'refuse' }
  | { readonly kind: 'run'; readonly calls: readonly RequestedCall[] }
  | { readonly kind: 'recover'; readonly waitMs?: number }
  | { readonly kind: 'ask' }
  | { readonly kind: 'finish' }
  | { readonly kind: 'halt' };

/** A verdict on the work so far: the rule, the reason, the evidence and the advice. */
export type Verdict = {
  readonly level: 'suspect' | 'stuck';
  readonly rule: string;
  readonly reason: string;
  readonly advice: string;
  /** Sequence numbers of the events that prove it. */
  readonly evidence: readonly number[];
  /** Sequence numbers of later events that speak against it. */
  readonly counterEvidence?: readonly number[];
  readonly response: VerdictResponse;
};

/**
 * Creates the verdict for a match. A known recovery from the current error adds its advice, and its remedy at severity
 * `refuse`.
 */
export function createVerdict(
  match: GradedMatch,
  settings: GovernorSettings,
  failure: RecoverableFailure | null,
): Verdict {
  const { level, rule, reason, advice, evidence, counterEvidence } = match;
  const recovery = failure === null ? null : findRecovery(settings.recoveries, failure);
  return {
    level: level === 'advise' ? 'suspect' : 'stuck',
    rule,
    reason,
    advice: recovery === null ? advice : `${advice} ${recovery.advice}`,
    evidence: evidence.map(({ seq }) => seq),
    counterEvidence: counterEvidence.map(({ seq }) => seq),
    response: chooseResponse(
      level,
      settings,
      recovery === null || failure === null ? null : { recovery, failure },
    ),
  };
}

function chooseResponse(
  level: RuleSeverity,
  { attended = false }: GovernorSettings,
  known: { readonly recovery: KnownRecovery; readonly failure: RecoverableFailure } | null,
): VerdictResponse {
  if (level === 'ask') return { kind: attended ? 'ask' : 'finish' };
  if (level !== 'refuse' || known === null) return { kind: level };
  const { remedy } = known.recovery;
  if (remedy.do === 'wait') return { kind: 'recover', waitMs: remedy.ms };
  if (remedy.do === 'ask' && attended) return { kind: 'ask' };
  const calls = buildRequestedCalls(remedy, known.failure);
  return calls === null ? { kind: 'refuse' } : { kind: 'run', calls };
}
