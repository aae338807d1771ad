import type { CallObservation } from '../../observations/call-observation.ts';
import type { Rule } from '../../rules/rule.ts';
import { selectRules } from '../../rules/select-rules.ts';
import type { GovernorObservation, ObservationKind } from '../../observations/observation.ts';
import {
  initialDetectorState,
  runDetector,
  type GradedMatch,
  type ObservationWindows,
} from '../../detector.ts';
import { createTrackerMachine, type TrackerMachine } from '../tracker-machine.ts';
import type { TrackerVerdict } from '../tracker-verdict.ts';
import type { PawlConfig } from './config.ts';

/** The rules do not depend on the agent's state, so there is only one. */
export type PawlState = 'working';

/** A started call, with the facts known so far. */
export type StartedCall = {
  readonly observation: CallObservation;
  /** Whether the known facts identify the call; its tool and file alone do not. */
  readonly isWhole: boolean;
};

/** State of the pawl detector. Plain JSON, bounded, and a function of the records alone. */
export type PawlDetectorState = {
  readonly kind: 'pawl';
  readonly config: PawlConfig;
  readonly machine: TrackerMachine<PawlState>;
  readonly begun: readonly StartedCall[];
  readonly seen: ObservationWindows;
  /** The current verdicts, at most one per observation kind. */
  readonly standing: readonly { readonly kind: ObservationKind; readonly verdict: TrackerVerdict }[];
  /** Total number of failed decisions. */
  readonly failedDecisions: number;
};

export function createPawlDetector(config: PawlConfig, at: number): PawlDetectorState {
  return {
    kind: 'pawl',
    config,
    machine: createTrackerMachine<PawlState>('working', at),
    begun: [],
    seen: initialDetectorState.seen,
    standing: [],
    failedDecisions: 0,
  };
}

/** Clears the history for a new phase; pending calls continue. */
export function resetPawlDetector(mind: PawlDetectorState): PawlDetectorState {
  return { ...mind, seen: initialDetectorState.seen, standing: [] };
}

/**
 * Adds an observation. Earlier reports are ignored, so that a verdict holds as long as its condition does; verdicts on
 * kinds whose window is empty are dropped.
 */
export function applyPawlObservation(
  mind: PawlDetectorState,
  observation: GovernorObservation,
  own: readonly Rule[],
): PawlDetectorState {
  const rules = selectRules({ preset: 'pawl', rules: mind.config.rules }, own);
  const { state: after, match } = runDetector({ seen: mind.seen, spoken: [] }, observation, rules);
  const others = mind.standing.filter(({ kind }) => kind !== observation.kind && after.seen[kind].length > 0);
  const { kind } = observation;
  const standing = match === null ? others : [...others, { kind, verdict: toTrackerVerdict(match, kind) }];
  return { ...mind, seen: after.seen, standing };
}

/** Returns the current verdicts, most severe first. */
export function listPawlVerdicts({ config, standing }: PawlDetectorState): readonly TrackerVerdict[] {
  if (!config.enable) return [];
  const verdicts = standing.map(({ verdict }) => verdict);
  return (['stuck', 'suspect'] as const).flatMap((grave) => verdicts.filter(({ level }) => level === grave));
}

/** Severity `advise` becomes `suspect`; every higher severity becomes `stuck`. */
function toTrackerVerdict(match: GradedMatch, kind: ObservationKind): TrackerVerdict {
  const { rule, loop, reason, advice, evidence, counterEvidence } = match;
  const level = match.level === 'advise' ? 'suspect' : 'stuck';
  const isCall = kind === 'work' || kind === 'waiting';
  return {
    level,
    rule,
    loop: `${level} ${rule} ${loop}`,
    reason,
    advice,
    evidence: isCall ? evidence.map(({ seq }) => seq) : [],
    counterEvidence: isCall ? counterEvidence.map(({ seq }) => seq) : [],
  };
}
