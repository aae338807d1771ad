import { quantile } from './statistics.ts';
import { wordOf, type Token } from './tokens.ts';

/** Steps in a row after which runs fail more often than others of their source that came as far. */
export type Pattern = {
  readonly words: readonly string[];
  /** Runs with known outcome that have it, and how many of those failed. */
  readonly runs: number;
  readonly failed: number;
  readonly sources: number;
  /** How many would have failed if these were like all runs of their sources that lasted as long. */
  readonly expected: number;
  /** Failures for each one that was to be expected. */
  readonly lift: number;
  /** How far that is from chance, in standard deviations. */
  readonly deviations: number;
  /** How many of the agent's steps came after it in the failed runs, in the middle of all: how early it shows. */
  readonly stepsLeft: number;
};

const wordsMax = 3;
const patternsPerRun = 1_000;
const patternsMax = 100_000;

/** Learns patterns from one run after the other; of each run only counts are kept. */
export class PatternTable {
  readonly #patterns = new Map<string, Seen>();
  /** By source, the runs that lasted to each stage. */
  readonly #lasted: Stages = new Map();

  add(
    tokens: readonly Token[],
    { source, failed }: { readonly source: string; readonly failed: boolean },
  ): void {
    for (let stage = 0; stage <= stageOf(tokens.length); stage += 1) {
      count(this.#lasted, { source, stage, failed });
    }
    for (const [name, step] of patternsIn(tokens)) {
      const seen: Seen = this.#patterns.get(name) ?? { stages: new Map(), left: [] };
      count(seen.stages, { source, stage: stageOf(step), failed });
      if (failed && seen.left.length < leftMax) seen.left.push(tokens.length - step);
      this.#patterns.set(name, seen);
    }
    if (this.#patterns.size > patternsMax) this.#forgetRare();
  }

  /** Those that are no chance, the farthest from it first; of those that say the same, the one that says it best. */
  found({ supportMin = 10, deviationsMin = 3, max = 20 } = {}): readonly Pattern[] {
    const found = [...this.#patterns]
      .flatMap(([name, seen]) => {
        const pattern = patternOf(JSON.parse(name) as readonly string[], seen, this.#lasted);
        return pattern.runs >= supportMin && pattern.deviations >= deviationsMin ? [pattern] : [];
      })
      .toSorted((a, b) => b.deviations - a.deviations || a.words.length - b.words.length || order(a, b));
    const told: Pattern[] = [];
    for (const pattern of found) {
      if (told.length >= max) break;
      if (!told.some((other) => saysTheSame(pattern, other))) told.push(pattern);
    }
    return told;
  }

  /** What one run alone has will hardly become a pattern; room is for those that might. */
  #forgetRare(): void {
    for (const [name, { stages }] of this.#patterns) {
      if (runsIn(stages) < 2) this.#patterns.delete(name);
    }
    // Where that is not enough, somebody makes patterns up: those that came last go.
    for (const name of [...this.#patterns.keys()].slice(patternsMax / 2)) this.#patterns.delete(name);
  }
}

type Tally = { runs: number; failed: number };
/** By source and stage. */
type Stages = Map<string, Map<number, Tally>>;
type Seen = { readonly stages: Stages; readonly left: number[] };

const leftMax = 1_000;

/**
 * How far a run was, roughly. A long run has more of everything in it, so one with a pattern is only compared with those
 * that came as far: up to sixteen steps to the step, beyond that four stages until it is twice as long.
 */
function stageOf(step: number): number {
  return step <= 16 ? step : 16 + Math.floor(4 * Math.log2(step / 16));
}

/** Each pattern of a run once, with the step at which it was first complete. */
function patternsIn(tokens: readonly Token[]): ReadonlyMap<string, number> {
  const words = tokens.map(wordOf);
  const found = new Map<string, number>();
  for (const index of words.keys()) {
    for (let length = 1; length <= Math.min(wordsMax, index + 1); length += 1) {
      if (found.size >= patternsPerRun) return found;
      const name = JSON.stringify(words.slice(index + 1 - length, index + 1));
      if (!found.has(name)) found.set(name, index + 1);
    }
  }
  return found;
}

function patternOf(words: readonly string[], { stages, left }: Seen, lasted: Stages): Pattern {
  let [runs, failed, expected, variance] = [0, 0, 0, 0];
  // In one order, whatever the order of the runs: sums of fractions depend on it.
  for (const [source, tallies] of [...stages].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    for (const [stage, tally] of [...tallies].toSorted(([a], [b]) => a - b)) {
      const whole = lasted.get(source)?.get(stage) ?? tally;
      const share = whole.failed / whole.runs;
      runs += tally.runs;
      failed += tally.failed;
      expected += tally.runs * share;
      // The runs with the pattern are drawn from those that came as far: when all have it, nothing is left to chance.
      const free = whole.runs > 1 ? (whole.runs - tally.runs) / (whole.runs - 1) : 0;
      variance += tally.runs * share * (1 - share) * free;
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
    stepsLeft: quantile(left, 0.5) ?? 0,
  };
}

/** One is part of the other and found in nearly the same runs. */
function saysTheSame(a: Pattern, b: Pattern): boolean {
  const [short, long] = a.words.length <= b.words.length ? [a, b] : [b, a];
  const isPart = ` ${long.words.join(' | ')} `.includes(` ${short.words.join(' | ')} `);
  return isPart && Math.min(a.runs, b.runs) >= 0.6 * Math.max(a.runs, b.runs);
}

type Counted = { readonly source: string; readonly stage: number; readonly failed: boolean };

function count(stages: Stages, { source, stage, failed }: Counted): void {
  const tallies = stages.get(source) ?? new Map<number, Tally>();
  const tally = tallies.get(stage) ?? { runs: 0, failed: 0 };
  tally.runs += 1;
  tally.failed += failed ? 1 : 0;
  tallies.set(stage, tally);
  stages.set(source, tallies);
}

function runsIn(stages: Stages): number {
  let runs = 0;
  for (const tallies of stages.values()) for (const tally of tallies.values()) runs += tally.runs;
  return runs;
}

function order(a: Pattern, b: Pattern): number {
  const [one, other] = [a.words.join('\n'), b.words.join('\n')];
  return one === other ? 0 : one < other ? -1 : 1;
}
