import type { RecordedRun, RecordedStep } from '../traces/trace-format.ts';
import { observeRepetitionLoop } from '../observations/text-observation.ts';
import { observeCall, formatToolOutput, type CallObservation } from '../observations/call-observation.ts';
import type { RuleSeverity, Rule } from '../rules/rule.ts';
import { pawlRules } from '../rules/pawl-rules.ts';
import type { GovernorObservation } from '../observations/observation.ts';
import { isContinuationMessage, observeText, removeHostText } from '../observations/text-observation.ts';
import { resetDetector, initialDetectorState, runDetector } from '../verdicts/detector.ts';

/** A verdict the governor would have given after a step of a recorded run. */
export type AuditVerdict = {
  /** The `i` of the step after which the verdict is given. */
  readonly step: number;
  readonly severity: RuleSeverity;
  readonly rule: string;
  readonly reason: string;
  readonly advice: string;
  /** The `i` of the steps that prove the verdict. */
  readonly evidence: readonly number[];
  /** The `i` of the later steps that speak against the verdict. */
  readonly counterEvidence: readonly number[];
};

/** Recorded strings of this length were truncated, so only their fingerprints can be compared. */
const recordedTextMax = 2_000;

/** Returns the verdicts the governor would have given on a recorded run, up to the one that would have ended it. */
export function auditRun(run: RecordedRun, rules: readonly Rule[] = pawlRules): readonly AuditVerdict[] {
  const verdicts: AuditVerdict[] = [];
  const userTexts = new Set<string>();
  let state = initialDetectorState;
  for (const step of run.steps) {
    if (step.role === 'user' && isNewText(userTexts, removeHostText(step.text ?? '')))
      state = resetDetector(state);
    const observation = toStepObservation(step);
    if (observation === null) continue;
    const next = runDetector(state, observation, rules);
    state = next.state;
    if (next.match === null) continue;
    const { severity, rule, reason, advice, evidence, counterEvidence } = next.match;
    verdicts.push({
      step: step.i,
      severity,
      rule,
      reason,
      advice,
      evidence: evidence.map((each) => each.seq),
      counterEvidence: counterEvidence.map((each) => each.seq),
    });
    if (severity === 'stop' || severity === 'ask') break;
  }
  return verdicts;
}

/**
 * Repeated identical text comes from a harness, not from a user, and must not reset the detector. Neither must a user
 * who only asks to continue.
 */
function isNewText(userTexts: Set<string>, text: string): boolean {
  if (userTexts.has(text) || isContinuationMessage(text)) return false;
  userTexts.add(text);
  return true;
}

function toStepObservation(step: RecordedStep): GovernorObservation | null {
  const { i, role, tool, text = '', textHash } = step;
  if (role === 'user') return null;
  if (tool !== undefined) return observeRecordedCall(step, tool);
  const loop = observeRepetitionLoop(i, text);
  if (loop !== null) return loop;
  // A truncated text cannot be compared in full, so its recorded fingerprint takes precedence.
  return {
    ...observeText(i, text),
    ...(textHash !== undefined && { fingerprint: textHash }),
    ...(step.error === true && { isRejected: true }),
  };
}

/** Observes the call of a recorded step. */
export function observeRecordedCall(step: RecordedStep, tool: string): CallObservation {
  const output = formatToolOutput(step.result ?? '');
  return observeCall({
    seq: step.i,
    at: step.at,
    tool,
    args: step.args ?? null,
    argsHash: step.argsHash,
    ok: step.error === undefined ? undefined : !step.error,
    exitCode: step.exitCode,
    output,
    outputHash: output.length >= recordedTextMax ? step.resultHash : undefined,
  });
}
