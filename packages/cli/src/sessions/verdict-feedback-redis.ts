import type { SessionFeedbackStore } from '@pawl/worker';
import {
  parseFeedbackLines,
  type VerdictFeedbackRepository,
  type SessionVerdictFeedback,
} from './verdict-feedback.ts';

/** Maximum number of sessions read in parallel. */
const maxParallelReads = 200;

/** Stores feedback in Redis with its session, so that every client of that Redis sees it. */
export function createRedisFeedback(marks: SessionFeedbackStore): VerdictFeedbackRepository {
  return {
    keep: (feedback) => marks.save(feedback.session, getFeedbackField(feedback), JSON.stringify(feedback)),
    forget: (verdict) => marks.remove(verdict.session, getFeedbackField(verdict)),
    async read(sessions) {
      const lines: string[] = [];
      for (let from = 0; from < sessions.length; from += maxParallelReads) {
        const batch = sessions.slice(from, from + maxParallelReads);
        lines.push(...(await Promise.all(batch.map((session) => marks.list(session)))).flat());
      }
      const { marks: read, unread } = parseFeedbackLines(lines);
      return { marks: read.toSorted((a, b) => a.at - b.at), unread };
    },
  };
}

function getFeedbackField({ seq, rule }: Pick<SessionVerdictFeedback, 'seq' | 'rule'>): string {
  return JSON.stringify([seq, rule]);
}
