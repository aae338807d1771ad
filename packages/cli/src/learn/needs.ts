import { quantile } from './statistics.ts';
import type { Token } from './tokens.ts';

/** How many steps runs took that succeeded, beside those that did not. */
export type Need = {
  readonly name: string;
  readonly runs: number;
  /** Half of the solved runs took no more, nine in ten, and all. */
  readonly half: number;
  readonly most: number;
  readonly all: number;
  /** Runs that failed, and what half of them took. */
  readonly failedRuns: number;
  readonly failedHalf: number | null;
};

export type Needs = {
  /** Steps in all, by source. */
  readonly bySource: readonly Need[];
  /** Calls of a tool, in runs that call it. */
  readonly byTool: readonly Need[];
  /** Steps in a mode, in runs that were in it. */
  readonly byMode: readonly Need[];
};

/** No real set of runs has more names than this. */
const namesMax = 1_000;

/** Learns from one run after the other what it takes; a number is kept for each tool and mode of a run. */
export class NeedTable {
  readonly #sources: Table = new Map();
  readonly #tools: Table = new Map();
  readonly #modes: Table = new Map();

  add(
    tokens: readonly Token[],
    { source, failed }: { readonly source: string; readonly failed: boolean },
  ): void {
    keep(this.#sources, source, tokens.length, failed);
    const byTool = Map.groupBy(tokens, ({ tool }) => tool);
    for (const [tool, calls] of byTool) if (tool !== null) keep(this.#tools, tool, calls.length, failed);
    const byMode = Map.groupBy(tokens, ({ mode }) => mode);
    for (const [mode, steps] of byMode) if (mode !== null) keep(this.#modes, mode, steps.length, failed);
  }

  found(): Needs {
    return { bySource: needsIn(this.#sources), byTool: needsIn(this.#tools), byMode: needsIn(this.#modes) };
  }
}

type Table = Map<string, { readonly solved: number[]; readonly failed: number[] }>;

function keep(table: Table, name: string, steps: number, failed: boolean): void {
  const kept = table.get(name) ?? { solved: [], failed: [] };
  if (!table.has(name) && table.size >= namesMax) return;
  kept[failed ? 'failed' : 'solved'].push(steps);
  table.set(name, kept);
}

/** Only of what runs have succeeded with; the most frequent first. */
function needsIn(table: Table): readonly Need[] {
  return [...table]
    .flatMap(([name, { solved, failed }]): readonly Need[] => {
      const [half, most, all] = [0.5, 0.9, 1].map((share) => quantile(solved, share));
      if (half == null || most == null || all == null) return [];
      const failedHalf = quantile(failed, 0.5);
      return [{ name, runs: solved.length, half, most, all, failedRuns: failed.length, failedHalf }];
    })
    .toSorted((a, b) => b.runs - a.runs || (a.name < b.name ? -1 : 1));
}
