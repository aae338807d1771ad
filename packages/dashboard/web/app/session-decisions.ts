import type { SessionDecision } from '@pawl/core/projections';
import type { ReplayedEntry, ReplayedTimeline } from './replayed-timeline.ts';
import { createIncrementalFold } from './incremental-fold.ts';

export type VerdictDecision = Extract<SessionDecision, { readonly kind: 'verdict' }>;

/** All decisions of a session so far, in order. */
export class DecisionHistory {
  readonly all: SessionDecision[] = [];
  readonly verdicts: VerdictDecision[] = [];

  add({ decisions }: ReplayedEntry): void {
    for (const decision of decisions) {
      this.all.push(decision);
      if (decision.kind === 'verdict') this.verdicts.push(decision);
    }
  }
}

export const getDecisionHistory: (timeline: ReplayedTimeline) => DecisionHistory = createIncrementalFold(
  () => new DecisionHistory(),
);
