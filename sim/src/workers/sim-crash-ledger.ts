import {
  progressEventsMin,
  type CrashLedger,
  type DeadLetter,
} from '../../../packages/worker/src/crash-ledger.ts';

type LedgerEntry = { head: number; attempts: number; parked: DeadLetter | null };

/** An in-memory crash ledger with the semantics of the real one. `headOf` returns null for a missing session. */
export function createSimCrashLedger(getHead: (session: string) => number | null): CrashLedger {
  const entries = new Map<string, LedgerEntry>();
  const getEntry = (session: string, head: number): LedgerEntry => {
    let entry = entries.get(session);
    if (entry === undefined) entries.set(session, (entry = { head, attempts: 0, parked: null }));
    return entry;
  };
  return {
    async startAttempt(session) {
      const head = getHead(session);
      if (head === null) return null;
      const entry = getEntry(session, head);
      if (entry.parked !== null) return null;
      if (head - entry.head >= progressEventsMin) entry.attempts = 0;
      entry.head = head;
      return { head, count: (entry.attempts += 1) };
    },
    async endAttempt(session) {
      const entry = entries.get(session);
      if (entry !== undefined) entry.attempts = 0;
    },
    async park(parked, crashes = -1) {
      const entry = getEntry(parked.session, 0);
      if (entry.attempts <= crashes) return false;
      entry.parked = parked;
      return true;
    },
    reason: async (session) => entries.get(session)?.parked?.reason ?? null,
    parked: async () => [...entries.values()].flatMap(({ parked }) => (parked === null ? [] : [parked])),
    async unpark(session) {
      const wasParked = (entries.get(session)?.parked ?? null) !== null;
      entries.delete(session);
      return wasParked;
    },
  };
}
