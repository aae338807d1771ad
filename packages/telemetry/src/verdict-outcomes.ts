import type { Attributes } from '@opentelemetry/api';
import type { Verdict } from '@pawl/core';
import type { StepObservation } from './step-observation.ts';
import { pawlAttributes } from './semconv.ts';

export type VerdictOutcomeTracker = { observe(observation: StepObservation): void; end(): void };

/**
 * Reports the outcome of each verdict's response: `repeated` if the same rule matched again in that turn, `left` if the
 * session was released, otherwise how the turn ended.
 */
export function createVerdictOutcomeTracker(report: (attributes: Attributes) => void): VerdictOutcomeTracker {
  const open = new Map<string, Verdict>();
  const close = (outcome: string): void => {
    for (const verdict of open.values()) report(getVerdictOutcomeAttributes(verdict, outcome));
    open.clear();
  };
  return {
    observe({ verdicts, endedTurn }) {
      for (const verdict of verdicts) {
        const earlier = open.get(verdict.rule);
        if (earlier !== undefined) report(getVerdictOutcomeAttributes(earlier, 'repeated'));
        open.set(verdict.rule, verdict);
      }
      if (endedTurn !== null) close(endedTurn.ending);
    },
    end: () => close('left'),
  };
}

function getVerdictOutcomeAttributes({ rule, response }: Verdict, outcome: string): Attributes {
  return {
    [pawlAttributes.rule]: rule,
    [pawlAttributes.response]: response.kind,
    [pawlAttributes.outcome]: outcome,
  };
}
