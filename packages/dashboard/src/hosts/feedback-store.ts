import type { VerdictFeedbackEntry } from '../api/index.ts';

/** User feedback on verdicts, stored next to the sessions. Later feedback on a verdict replaces earlier feedback. */
export type VerdictFeedbackStore = {
  list(session: string): Promise<readonly VerdictFeedbackEntry[]>;
  /** A mark of null removes earlier feedback. */
  save(
    session: string,
    feedback: Omit<VerdictFeedbackEntry, 'mark'> & { readonly mark: VerdictFeedbackEntry['mark'] | null },
  ): Promise<void>;
};

/** For session stores that do not persist anything either. */
export function createMemoryFeedbackStore(): VerdictFeedbackStore {
  const bySession = new Map<string, Map<string, VerdictFeedbackEntry>>();
  return {
    list: async (session) => [...(bySession.get(session)?.values() ?? [])],
    async save(session, { mark, ...verdict }) {
      const entries = bySession.get(session) ?? new Map<string, VerdictFeedbackEntry>();
      bySession.set(session, entries);
      const key = JSON.stringify([verdict.seq, verdict.rule]);
      if (mark === null) entries.delete(key);
      else entries.set(key, { ...verdict, mark });
    },
  };
}
