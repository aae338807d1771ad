import { computeQuantile } from './statistics.ts';
import { observeRecordedCall } from '@pawl/governor/audit';
import type { RecordedStep } from '@pawl/governor/traces';
import type { TrainingRun } from './training-run.ts';

/** A sequence of steps after which runs fail more often than comparable runs of the same source. */
export type FailurePattern = {
  readonly words: readonly string[];
  /** Runs with a known outcome that contain the pattern, and how many of them failed. */
  readonly runs: number;
  readonly failed: number;
  readonly sources: number;
  /** Failures expected from all runs of the same sources that lasted as long. */
  readonly expected: number;
  /** Ratio of actual to expected failures. */
  readonly lift: number;
  /** Deviation from the expectation, in standard deviations. */
  readonly deviations: number;
  /** Median number of the agent's steps after the pattern in failed runs: how early it appears. */
  readonly stepsLeft: number;
};

const maxPatternWords = 3;
const maxPatternsPerRun = 1_000;
const maxPatterns = 100_000;

/** Collects patterns run by run; only counts are stored. */
export class PatternTable {
  readonly #patterns = new Map<string, PatternObservation>();
  /** By source, the runs that reached each stage. */
  readonly #runsByStage: StageTallies = new Map();

  add(
    tokens: readonly StepToken[],
    { source, failed }: { readonly source: string; readonly failed: boolean },
  ): void {
    for (let stage = 0; stage <= getRunStage(tokens.length); stage += 1) {
      tallyStage(this.#runsByStage, { source, stage, failed });
    }
    for (const [name, step] of extractPatterns(tokens)) {
      const observation: PatternObservation = this.#patterns.get(name) ?? {
        stages: new Map(),
        stepsLeft: [],
      };
      tallyStage(observation.stages, { source, stage: getRunStage(step), failed });
      if (failed && observation.stepsLeft.length < maxStepsLeft)
        observation.stepsLeft.push(tokens.length - step);
      this.#patterns.set(name, observation);
    }
    if (this.#patterns.size > maxPatterns) this.#dropRare();
  }

  /** Returns the significant patterns, strongest first; of redundant patterns, only the strongest. */
  listPatterns({ supportMin = 10, deviationsMin = 3, max = 20 } = {}): readonly FailurePattern[] {
    const significant = [...this.#patterns]
      .flatMap(([name, observation]) => {
        const pattern = scorePattern(JSON.parse(name) as readonly string[], observation, this.#runsByStage);
        return pattern.runs >= supportMin && pattern.deviations >= deviationsMin ? [pattern] : [];
      })
      .toSorted(
        (a, b) => b.deviations - a.deviations || a.words.length - b.words.length || comparePatterns(a, b),
      );
    const selected: FailurePattern[] = [];
    for (const pattern of significant) {
      if (selected.length >= max) break;
      if (!selected.some((other) => isRedundantPattern(pattern, other))) selected.push(pattern);
    }
    return selected;
  }

  /** Drops patterns seen in only one run, which are unlikely to become significant. */
  #dropRare(): void {
    for (const [name, { stages }] of this.#patterns) {
      if (countStageRuns(stages) < 2) this.#patterns.delete(name);
    }
    // If that is not enough, the input is probably adversarial: drop the most recently added patterns.
    for (const name of [...this.#patterns.keys()].slice(maxPatterns / 2)) this.#patterns.delete(name);
  }
}

type OutcomeTally = { runs: number; failed: number };
/** By source and stage. */
type StageTallies = Map<string, Map<number, OutcomeTally>>;
type PatternObservation = { readonly stages: StageTallies; readonly stepsLeft: number[] };

const maxStepsLeft = 1_000;

/**
 * Maps a step to a stage. Longer runs contain more patterns, so a run is compared only with runs that reached the same
 * stage: one stage per step up to sixteen, then four per doubling.
 */
function getRunStage(step: number): number {
  return step <= 16 ? step : 16 + Math.floor(4 * Math.log2(step / 16));
}

/** Extracts each pattern of a run once, with the step at which it was first complete. */
function extractPatterns(tokens: readonly StepToken[]): ReadonlyMap<string, number> {
  const words = tokens.map(formatStepToken);
  const patterns = new Map<string, number>();
  for (const index of words.keys()) {
    for (let length = 1; length <= Math.min(maxPatternWords, index + 1); length += 1) {
      if (patterns.size >= maxPatternsPerRun) return patterns;
      const name = JSON.stringify(words.slice(index + 1 - length, index + 1));
      if (!patterns.has(name)) patterns.set(name, index + 1);
    }
  }
  return patterns;
}

function scorePattern(
  words: readonly string[],
  { stages, stepsLeft }: PatternObservation,
  runsByStage: StageTallies,
): FailurePattern {
  let [runs, failed, expected, variance] = [0, 0, 0, 0];
  // Sort first, because floating-point sums depend on the order and the result must not depend on the order of the
  // runs.
  for (const [source, tallies] of [...stages].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    for (const [stage, tally] of [...tallies].toSorted(([a], [b]) => a - b)) {
      const reference = runsByStage.get(source)?.get(stage) ?? tally;
      const share = reference.failed / reference.runs;
      runs += tally.runs;
      failed += tally.failed;
      expected += tally.runs * share;
      // Finite population correction: if all runs that reached this stage have the pattern, the variance is zero.
      const correction = reference.runs > 1 ? (reference.runs - tally.runs) / (reference.runs - 1) : 0;
      variance += tally.runs * share * (1 - share) * correction;
    }
  }
  return {
    words,
    runs,
    failed,
    sources: stages.size,
    expected,
    lift: expected === 0 ? 0 : failed / expected,
    deviations: variance === 0 ? 0 : (failed - expected) / Math.sqrt(variance),
    stepsLeft: computeQuantile(stepsLeft, 0.5) ?? 0,
  };
}

/** Returns whether one pattern contains the other and both occur in nearly the same runs. */
function isRedundantPattern(a: FailurePattern, b: FailurePattern): boolean {
  const [short, long] = a.words.length <= b.words.length ? [a, b] : [b, a];
  const isPart = ` ${long.words.join(' | ')} `.includes(` ${short.words.join(' | ')} `);
  return isPart && Math.min(a.runs, b.runs) >= 0.6 * Math.max(a.runs, b.runs);
}

type StageOutcome = { readonly source: string; readonly stage: number; readonly failed: boolean };

function tallyStage(stages: StageTallies, { source, stage, failed }: StageOutcome): void {
  const tallies = stages.get(source) ?? new Map<number, OutcomeTally>();
  const tally = tallies.get(stage) ?? { runs: 0, failed: 0 };
  tally.runs += 1;
  tally.failed += failed ? 1 : 0;
  tallies.set(stage, tally);
  stages.set(source, tallies);
}

function countStageRuns(stages: StageTallies): number {
  let runs = 0;
  for (const tallies of stages.values()) for (const tally of tallies.values()) runs += tally.runs;
  return runs;
}

function comparePatterns(a: FailurePattern, b: FailurePattern): number {
  const [one, other] = [a.words.join('\n'), b.words.join('\n')];
  return one === other ? 0 : one < other ? -1 : 1;
}

/** The outcome of a step, in a word. */
type StepNovelty = 'new' | 'known' | 'error' | 'text';

/** A step reduced to its mode, its tool and its outcome. */
export type StepToken = {
  readonly step: number;
  readonly mode: string | null;
  /** Null for text without a call. */
  readonly tool: string | null;
  readonly novelty: StepNovelty;
};

/** Tool names are external and can be arbitrarily long. */
const maxTokenName = 60;

/** Tokenizes the agent's own steps, in order. `known` means the same call had the same result earlier in the run. */
export function tokenizeRun({ run, modes }: Pick<TrainingRun, 'run' | 'modes'>): readonly StepToken[] {
  const seen = new Set<string>();
  return run.steps.flatMap((step): readonly StepToken[] => {
    if (step.role === 'user') return [];
    const mode = modes?.get(step.i)?.slice(0, maxTokenName) ?? null;
    const tool = step.tool?.slice(0, maxTokenName) ?? null;
    return [{ step: step.i, mode, tool, novelty: classifyStep(step, seen) }];
  });
}

/** Formats a token as one word, the unit of patterns. */
function formatStepToken({ mode, tool, novelty }: StepToken): string {
  return `${mode === null ? '' : `${mode}/`}${tool === null ? novelty : `${tool} ${novelty}`}`;
}

function classifyStep(step: RecordedStep, seen: Set<string>): StepNovelty {
  if (step.tool === undefined) return 'text';
  const { call, outcome, error } = observeRecordedCall(step, step.tool);
  const name = `${call} ${outcome}`;
  const isKnown = seen.has(name);
  seen.add(name);
  if (error !== null) return 'error';
  return isKnown ? 'known' : 'new';
}
