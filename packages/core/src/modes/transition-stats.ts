import type { ModeMove } from './mode.ts';

/** How often one mode followed another, how long that took, and what became of the work. */
export type TransitionStats = {
  readonly from: string;
  readonly to: string;
  readonly count: number;
  /** How long the mode that was left lasted, in the middle of all times. */
  readonly medianMs: number;
  /** The share of the runs with this move that ended well. */
  readonly endedWell: number;
};

/** The moves of one run, and whether it ended well. */
export type RecordedMoves = { readonly moves: readonly ModeMove[]; readonly endedWell: boolean };

/** What runs have in common: every move, the most frequent first. */
export function transitionStats(runs: readonly RecordedMoves[]): readonly TransitionStats[] {
  const seen = runs.flatMap(({ moves, endedWell }, run) =>
    moves.map((move) => ({ ...move, endedWell, run })),
  );
  return [...Map.groupBy(seen, ({ from, to }) => JSON.stringify([from, to])).values()]
    .map((group) => {
      const { from = '', to = '' } = group[0] ?? {};
      const inRuns = [...Map.groupBy(group, ({ run }) => run).values()];
      const well = inRuns.filter((moves) => moves[0]?.endedWell === true).length;
      const times = group.map(({ durationMs }) => durationMs).toSorted((a, b) => a - b);
      const medianMs = times[Math.floor(times.length / 2)] ?? 0;
      return { from, to, count: group.length, medianMs, endedWell: well / inRuns.length };
    })
    .toSorted((a, b) => b.count - a.count || (a.from + a.to < b.from + b.to ? -1 : 1));
}

/**
 * Where to go from a mode, by what runs before have shown: the move after which most of them ended well, and of equals the
 * quicker one. Null when nobody has been there.
 */
export function bestNext(stats: readonly TransitionStats[], from: string): TransitionStats | null {
  const [best] = stats
    .filter((each) => each.from === from && each.to !== from)
    .toSorted((a, b) => b.endedWell - a.endedWell || a.medianMs - b.medianMs);
  return best ?? null;
}
