import { eventsOfProgress, type Care, type Parked } from '../../../packages/worker/src/care.ts';

type Kept = { head: number; begun: number; parked: Parked | null };

/** What is known of sessions that bring workers down, by the rules of the real one. `headOf` gives null for one that is gone. */
export function createCare(headOf: (session: string) => number | null): Care {
  const all = new Map<string, Kept>();
  const at = (session: string, head: number): Kept => {
    let kept = all.get(session);
    if (kept === undefined) all.set(session, (kept = { head, begun: 0, parked: null }));
    return kept;
  };
  return {
    async begin(session) {
      const head = headOf(session);
      if (head === null) return null;
      const kept = at(session, head);
      if (kept.parked !== null) return null;
      if (head - kept.head >= eventsOfProgress) kept.begun = 0;
      kept.head = head;
      return { head, times: (kept.begun += 1) };
    },
    async end(session) {
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
