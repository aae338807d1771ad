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

/** How the turn machine responds to a verdict, mildest first. `stop` asks for a final answer; `halt` ends at once. */
export type VerdictResponse =
  | { readonly kind: 'advise' }
  | { readonly kind: 'block' }
  | { readonly kind: 'run'; readonly calls: readonly RequestedCall[] }
  | { readonly kind: 'recover'; readonly waitMs?: number }
  | { readonly kind: 'ask' }
  | { readonly kind: 'stop' }
  | { readonly kind: 'halt' };

/** A verdict on the work so far: the rule, the reason, the evidence and the advice. */
export type Verdict = {
  readonly severity: RuleSeverity;
  readonly rule: string;
  readonly reason: string;
  readonly advice: string;
  /** Sequence numbers of the events that prove it. */
  readonly evidence: readonly number[];
  /** Sequence numbers of later events that speak against it. */
  readonly counterEvidence?: readonly number[];
  readonly response: VerdictResponse;
};

/** Whether a verdict is more than a warning. */
export function isStuckVerdict({ severity }: Pick<Verdict, 'severity'>): boolean {
  return severity !== 'advise';
}

/**
 * Creates the verdict for a match. A known recovery from the current error adds its advice, and its remedy at severity
 * `block`.
 */
export function createVerdict(
  match: GradedMatch,
  settings: GovernorSettings,
  failure: RecoverableFailure | null,
): Verdict {
  const { severity, rule, reason, advice, evidence, counterEvidence } = match;
  const recovery = failure === null ? null : findRecovery(settings.recoveries, failure);
  return {
    severity,
    rule,
    reason,
    advice: recovery === null ? advice : `${advice} ${recovery.advice}`,
    evidence: evidence.map(({ seq }) => seq),
    counterEvidence: counterEvidence.map(({ seq }) => seq),
    response: chooseResponse(
      severity,
      settings,
      recovery === null || failure === null ? null : { recovery, failure },
    ),
  };
}

function chooseResponse(
  severity: RuleSeverity,
  { attended = false }: GovernorSettings,
  known: { readonly recovery: KnownRecovery; readonly failure: RecoverableFailure } | null,
): VerdictResponse {
  if (severity === 'ask') return { kind: attended ? 'ask' : 'stop' };
  if (severity !== 'block' || known === null) return { kind: severity };
  const { remedy } = known.recovery;
  if (remedy.do === 'wait') return { kind: 'recover', waitMs: remedy.ms };
  if (remedy.do === 'ask' && attended) return { kind: 'ask' };
  const calls = buildRequestedCalls(remedy, known.failure);
  return calls === null ? { kind: 'block' } : { kind: 'run', calls };
}
