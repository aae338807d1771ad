import type { VerdictFeedbackStore } from '@pawl/dashboard';
import type { VerdictFeedbackRepository } from './verdict-feedback.ts';

/** Adapts the feedback of `pawl verdict` for the dashboard. */
export function createDashboardFeedback(repository: VerdictFeedbackRepository): VerdictFeedbackStore {
  return {
    async list(session) {
      const { marks } = await repository.read([session]);
      return marks.flatMap(({ session: id, ...mark }) => (id === session ? [mark] : []));
    },
    save: (session, { mark, ...verdict }) =>
      mark === null
        ? repository.forget({ session, ...verdict })
        : repository.keep({ session, ...verdict, mark }),
  };
}
