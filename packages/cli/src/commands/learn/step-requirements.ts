import { computeQuantile } from './statistics.ts';
import type { StepToken } from './failure-patterns.ts';

/** How many steps successful runs took, compared with failed ones. */
export type StepRequirement = {
  readonly name: string;
  readonly runs: number;
  /** Median, 90th percentile and maximum over the solved runs. */
  readonly half: number;
  readonly most: number;
  readonly all: number;
  /** Number of failed runs, and their median. */
  readonly failedRuns: number;
  readonly failedHalf: number | null;
};

export type StepRequirements = {
  /** Total steps, by source. */
  readonly bySource: readonly StepRequirement[];
  /** Calls of a tool, in runs that call it. */
  readonly byTool: readonly StepRequirement[];
  /** Steps in a mode, in runs that enter it. */
  readonly byMode: readonly StepRequirement[];
};

/** More names than any real set of runs has. */
const maxRequirementNames = 1_000;

/** Collects step counts run by run; stores one number per tool and mode of a run. */
export class StepRequirementTable {
  readonly #sources: StepCountTable = new Map();
  readonly #tools: StepCountTable = new Map();
  readonly #modes: StepCountTable = new Map();

  add(
    tokens: readonly StepToken[],
    { source, failed }: { readonly source: string; readonly failed: boolean },
  ): void {
    addStepCount(this.#sources, source, tokens.length, failed);
    const byTool = Map.groupBy(tokens, ({ tool }) => tool);
    for (const [tool, calls] of byTool)
      if (tool !== null) addStepCount(this.#tools, tool, calls.length, failed);
    const byMode = Map.groupBy(tokens, ({ mode }) => mode);
    for (const [mode, steps] of byMode)
      if (mode !== null) addStepCount(this.#modes, mode, steps.length, failed);
  }

  computeAll(): StepRequirements {
    return {
      bySource: computeRequirements(this.#sources),
      byTool: computeRequirements(this.#tools),
      byMode: computeRequirements(this.#modes),
    };
  }
}

type StepCountTable = Map<string, { readonly solved: number[]; readonly failed: number[] }>;

function addStepCount(table: StepCountTable, name: string, steps: number, failed: boolean): void {
  const counts = table.get(name) ?? { solved: [], failed: [] };
  if (!table.has(name) && table.size >= maxRequirementNames) return;
  counts[failed ? 'failed' : 'solved'].push(steps);
  table.set(name, counts);
}

/** Only names with solved runs, most frequent first. */
function computeRequirements(table: StepCountTable): readonly StepRequirement[] {
  return [...table]
    .flatMap(([name, { solved, failed }]): readonly StepRequirement[] => {
      const [half, most, all] = [0.5, 0.9, 1].map((share) => computeQuantile(solved, share));
      if (half == null || most == null || all == null) return [];
      const failedHalf = computeQuantile(failed, 0.5);
      return [{ name, runs: solved.length, half, most, all, failedRuns: failed.length, failedHalf }];
    })
    .toSorted((a, b) => b.runs - a.runs || (a.name < b.name ? -1 : 1));
}
