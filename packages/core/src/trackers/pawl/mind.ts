import type { Observation } from '../../governor/observation.ts';
import type { Rule } from '../../governor/rule.ts';
import { rulesFor } from '../../governor/rulebook.ts';
import type { Sighting, SightingKind } from '../../governor/sighting.ts';
import { unwatched, watch, type Finding, type Windows } from '../../governor/watch.ts';
import { machineIn, type Machine } from '../machine.ts';
import type { TrackerVerdict } from '../verdict.ts';
import type { PawlConfig } from './config.ts';

/** The rules do not care what the agent is doing, so there is one state. */
export type PawlState = 'working';

/** A call that has begun, as far as it is known by then. */
export type BegunCall = {
  readonly observation: Observation;
  /** Whether what is known of it tells it from others; its tool and its file alone do not. */
  readonly isWhole: boolean;
};

/** What is fresh in memory. Plain JSON, bounded, and a function of the records alone. */
export type PawlMind = {
  readonly kind: 'pawl';
  readonly config: PawlConfig;
  readonly machine: Machine<PawlState>;
  readonly begun: readonly BegunCall[];
  readonly seen: Windows;
  /** What holds, at most one thing for each kind of sighting. */
  readonly standing: readonly { readonly kind: SightingKind; readonly verdict: TrackerVerdict }[];
  /** Decisions that failed, altogether. */
  readonly failedDecisions: number;
};

export function pawlMind(config: PawlConfig, at: number): PawlMind {
  return {
    kind: 'pawl',
    config,
    machine: machineIn<PawlState>('working', at),
    begun: [],
    seen: unwatched.seen,
    standing: [],
    failedDecisions: 0,
  };
}

/** A fresh start for a new phase. Calls under way go on. */
export function forgotten(mind: PawlMind): PawlMind {
  return { ...mind, seen: unwatched.seen, standing: [] };
}

/**
 * Takes in a sighting. Nothing counts as said before, so that a verdict holds for as long as its condition does; what is
 * no longer in sight is no longer held against anybody.
 */
export function sighted(mind: PawlMind, sighting: Sighting, own: readonly Rule[]): PawlMind {
  const rules = rulesFor({ preset: 'pawl', rules: mind.config.rules }, own);
  const { watch: after, finding } = watch({ seen: mind.seen, spoken: [] }, sighting, rules);
  const others = mind.standing.filter(({ kind }) => kind !== sighting.kind && after.seen[kind].length > 0);
  const { kind } = sighting;
  const standing = finding === null ? others : [...others, { kind, verdict: verdictOf(finding, kind) }];
  return { ...mind, seen: after.seen, standing };
}

/** What holds now, gravest first. */
export function pawlVerdicts({ config, standing }: PawlMind): readonly TrackerVerdict[] {
  if (!config.enable) return [];
  const verdicts = standing.map(({ verdict }) => verdict);
  return (['stuck', 'suspect'] as const).flatMap((grave) => verdicts.filter(({ level }) => level === grave));
}

/** What is to be told to the model is suspect; what is to be stopped, one way or another, is stuck. */
function verdictOf(finding: Finding, kind: SightingKind): TrackerVerdict {
  const { rule, loop, reason, advice, evidence, counterEvidence } = finding;
  const level = finding.level === 'advise' ? 'suspect' : 'stuck';
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
