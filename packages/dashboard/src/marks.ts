import type { Mark } from './api/index.ts';

/** What people think of verdicts, kept beside the sessions. Of several marks on one verdict the last one counts. */
export type Marks = {
  of(session: string): Promise<readonly Mark[]>;
  /** A mark of null takes back what was said before. */
  keep(session: string, mark: Omit<Mark, 'mark'> & { readonly mark: Mark['mark'] | null }): Promise<void>;
};

/** For stores that are not kept either. */
export function memoryMarks(): Marks {
  const all = new Map<string, Map<string, Mark>>();
  return {
    of: async (session) => [...(all.get(session)?.values() ?? [])],
    async keep(session, { mark, ...verdict }) {
      const marks = all.get(session) ?? new Map<string, Mark>();
      all.set(session, marks);
      const key = JSON.stringify([verdict.seq, verdict.rule]);
      if (mark === null) marks.delete(key);
      else marks.set(key, { ...verdict, mark });
    },
  };
}
