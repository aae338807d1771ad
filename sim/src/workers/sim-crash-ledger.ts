import {
  progressEventsMin,
  type CrashLedger,
  type DeadLetter,
} from '../../../packages/worker/src/crash-ledger.ts';

type LedgerEntry = { head: number; begun: number; parked: DeadLetter | null };

/** An in-memory crash ledger with the semantics of the real one. `headOf` returns null for a missing session. */
export function createSimCrashLedger(headOf: (session: string) => number | null): CrashLedger {
  const all = new Map<string, LedgerEntry>();
  const at = (session: string, head: number): LedgerEntry => {
    let kept = all.get(session);
    if (kept === undefined) all.set(session, (kept = { head, begun: 0, parked: null }));
    return kept;
  };
  return {
    async startAttempt(session) {
      const head = headOf(session);
      if (head === null) return null;
      const kept = at(session, head);
      if (kept.parked !== null) return null;
      if (head - kept.head >= progressEventsMin) kept.begun = 0;
      kept.head = head;
      return { head, count: (kept.begun += 1) };
    },
    async endAttempt(session) {
      const kept = all.get(session);
      if (kept !== undefined) kept.begun = 0;
    },
    async park(parked, crashes = -1) {
      const kept = at(parked.session, 0);
      if (kept.begun <= crashes) return false;
      kept.parked = parked;
      return true;
    },
    reason: async (session) => all.get(session)?.parked?.reason ?? null,
    parked: async () => [...all.values()].flatMap(({ parked }) => (parked === null ? [] : [parked])),
    async unpark(session) {
      const wasParked = (all.get(session)?.parked ?? null) !== null;
      all.delete(session);
      return wasParked;
    },
  };
}
