import type { ModeChange } from './mode.ts';

/** How often one mode followed another, how long it took, and how the runs ended. */
export type TransitionStats = {
  readonly from: string;
  readonly to: string;
  readonly count: number;
  /** Median duration of the mode that was left. */
  readonly medianMs: number;
  /** Share of the runs with this transition that succeeded. */
  readonly endedWell: number;
};

/** The mode changes of one run, and whether it succeeded. */
export type RecordedModeChanges = { readonly moves: readonly ModeChange[]; readonly endedWell: boolean };

/** Computes statistics over all transitions of the runs, most frequent first. */
export function computeTransitionStats(runs: readonly RecordedModeChanges[]): readonly TransitionStats[] {
  const changes = runs.flatMap(({ moves, endedWell }, run) =>
    moves.map((change) => ({ ...change, endedWell, run })),
  );
  return [...Map.groupBy(changes, ({ from, to }) => JSON.stringify([from, to])).values()]
    .map((group) => {
      const { from = '', to = '' } = group[0] ?? {};
      const groupRuns = [...Map.groupBy(group, ({ run }) => run).values()];
      const successes = groupRuns.filter((moves) => moves[0]?.endedWell === true).length;
      const times = group.map(({ durationMs }) => durationMs).toSorted((a, b) => a - b);
      const medianMs = times[Math.floor(times.length / 2)] ?? 0;
      return { from, to, count: group.length, medianMs, endedWell: successes / groupRuns.length };
    })
    .toSorted((a, b) => b.count - a.count || (a.from + a.to < b.from + b.to ? -1 : 1));
}

/**
 * Returns the transition from a mode with the highest success rate in earlier runs, and among equals the fastest, or
 * null if there is none.
 */
export function findBestTransition(stats: readonly TransitionStats[], from: string): TransitionStats | null {
  const [best] = stats
    .filter((each) => each.from === from && each.to !== from)
    .toSorted((a, b) => b.endedWell - a.endedWell || a.medianMs - b.medianMs);
  return best ?? null;
}
