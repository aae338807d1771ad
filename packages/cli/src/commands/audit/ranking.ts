import type { AuditedRun, EvidenceCall, RunCost } from './result.ts';

/** A run in a ranking, with the proof of its verdict if it is needed. */
export type RankedRun = { readonly run: AuditedRun; readonly proof: readonly EvidenceCall[] };

/** Keeps the first runs of a ranking: stuck runs first, the most wasteful ones before the others. */
export type RunRanking = {
  /** Adds a run; the proof is created only if the run is kept. */
  add(run: AuditedRun, createProof: () => readonly EvidenceCall[]): void;
  list(): readonly RankedRun[];
};

/** Creates a ranking that holds at most twice as many runs as it keeps. */
export function createRunRanking(runsMax: number): RunRanking {
  let entries: readonly RankedRun[] = [];
  let added: RankedRun[] = [];
  const merge = (): readonly RankedRun[] => {
    entries = [...entries, ...added]
      .toSorted((a, b) => compareAuditedRuns(a.run, b.run))
      .slice(0, Math.min(runsMax, entries.length + added.length));
    added = [];
    return entries;
  };
  return {
    add(run, createProof) {
      const last = entries.length < runsMax ? undefined : entries.at(-1);
      if (last !== undefined && compareAuditedRuns(run, last.run) >= 0) return;
      added.push({ run, proof: createProof() });
      if (added.length >= runsMax) merge();
    },
    list: merge,
  };
}

/** Runs that rank equal keep the order in which they were read. */
function compareAuditedRuns(a: AuditedRun, b: AuditedRun): number {
  return rankVerdict(b) - rankVerdict(a) || measureWaste(getWaste(b)) - measureWaste(getWaste(a));
}

function rankVerdict({ decisiveVerdict }: AuditedRun): number {
  if (decisiveVerdict === null) return 0;
  return decisiveVerdict.isStuck ? 2 : 1;
}

function getWaste({ decisiveVerdict }: AuditedRun): RunCost | null {
  return decisiveVerdict?.after ?? null;
}

/** Waste is compared by money if there are prices, otherwise by tokens. */
export function measureWaste(cost: RunCost | null): number {
  return cost === null ? 0 : (cost.money ?? cost.tokens);
}
