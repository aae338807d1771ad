import type { RecordedRun, RecordedStep } from '../traces/recorded-run.ts';
import { findChant } from './chant.ts';
import { observe, textOf } from './observation.ts';
import type { Level, Rule } from './rule.ts';
import { pawlRules } from './rules/pawl.ts';
import type { Sighting } from './sighting.ts';
import { talk } from './talk.ts';
import { heardUser, unwatched, watch } from './watch.ts';

/** How far up the ladder a verdict is: a word to the model, one call refused, a person asked, the run ended. */
export type AuditLevel = 'nudge' | 'block' | 'ask' | 'stop';

/** A verdict the governor would have given after a step of a recorded run. */
export type AuditVerdict = {
  /** The `i` of the step after which it is given. */
  readonly step: number;
  readonly level: AuditLevel;
  readonly rule: string;
  readonly reason: string;
  readonly advice: string;
  /** The `i` of the steps that prove it. */
  readonly evidence: readonly number[];
  /** The `i` of the steps since then that speak against it. */
  readonly counterEvidence: readonly number[];
};

const levels: Record<Level, AuditLevel> = {
  advise: 'nudge',
  refuse: 'block',
  ask: 'ask',
  finish: 'stop',
};

/** Recorded strings of this length have been cut, so only their fingerprints can be compared. */
const cutAt = 2_000;

/** What the governor would have said about a recorded run, up to the verdict that would have ended it. */
export function audit(run: RecordedRun, rules: readonly Rule[] = pawlRules): readonly AuditVerdict[] {
  const verdicts: AuditVerdict[] = [];
  const said = new Set<string>();
  let state = unwatched;
  for (const step of run.steps) {
    if (step.role === 'user' && isNew(said, step.text ?? '')) state = heardUser(state);
    const sighting = sightingOf(step);
    if (sighting === null) continue;
    const next = watch(state, sighting, rules);
    state = next.watch;
    if (next.finding === null) continue;
    const { level, rule, reason, advice, evidence, counterEvidence } = next.finding;
    verdicts.push({
      step: step.i,
      level: levels[level],
      rule,
      reason,
      advice,
      evidence: evidence.map((each) => each.seq),
      counterEvidence: counterEvidence.map((each) => each.seq),
    });
    if (level === 'finish' || level === 'ask') break;
  }
  return verdicts;
}

/** A harness that says the same thing after every step is not a user who has something to say. */
function isNew(said: Set<string>, text: string): boolean {
  if (said.has(text)) return false;
  said.add(text);
  return true;
}

function sightingOf(step: RecordedStep): Sighting | null {
  const { i, role, tool, text = '', textHash } = step;
  if (role === 'user') return null;
  if (tool !== undefined) return observeStep(step, tool);
  const chant = findChant(text);
  if (chant !== null) return { kind: 'chant', seq: i, ...chant };
  // Of a text that was cut only the beginning can be compared, so its fingerprint has the last word.
  return textHash === undefined ? talk(i, text) : { ...talk(i, text), gist: textHash };
}

function observeStep(step: RecordedStep, tool: string): ReturnType<typeof observe> {
  const said = textOf(step.result ?? '');
  return observe({
    seq: step.i,
    at: step.at,
    tool,
    args: step.args ?? null,
    argsHash: step.argsHash,
    ok: step.error !== true,
    said,
    saidHash: said.length >= cutAt ? step.resultHash : undefined,
  });
}
