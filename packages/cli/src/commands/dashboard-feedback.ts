import type { VerdictFeedbackStore } from '@pawl/dashboard';
import type { VerdictFeedbackRepository } from './verdict-feedback.ts';

/** Adapts the feedback of `pawl verdict` for the dashboard. */
export function createDashboardFeedback(shelf: VerdictFeedbackRepository): VerdictFeedbackStore {
  return {
    async list(session) {
      const { marks } = await shelf.read([session]);
      return marks.flatMap(({ session: its, ...mark }) => (its === session ? [mark] : []));
    },
    save: (session, { mark, ...verdict }) =>
      mark === null ? shelf.forget({ session, ...verdict }) : shelf.keep({ session, ...verdict, mark }),
  };
}
