import type { SessionMarks } from '@pawl/worker';
import { marksIn, type MarkShelf, type VerdictMark } from './verdict-marks.ts';

/** So many sessions are asked about side by side. */
const atOnce = 200;

/** Marks in Redis, each with its session: whoever reaches it, from wherever, sees and counts them. */
export function marksInRedis(marks: SessionMarks): MarkShelf {
  return {
    keep: (given) => marks.keep(given.session, nameOf(given), JSON.stringify(given)),
    forget: (verdict) => marks.forget(verdict.session, nameOf(verdict)),
    async read(sessions) {
      const lines: string[] = [];
      for (let from = 0; from < sessions.length; from += atOnce) {
        const some = sessions.slice(from, from + atOnce);
        lines.push(...(await Promise.all(some.map((session) => marks.of(session)))).flat());
      }
      const { marks: read, unread } = marksIn(lines);
      return { marks: read.toSorted((a, b) => a.at - b.at), unread };
    },
  };
}

function nameOf({ seq, rule }: Pick<VerdictMark, 'seq' | 'rule'>): string {
  return JSON.stringify([seq, rule]);
}
