import type { Attributes } from '@opentelemetry/api';
import type { Verdict } from '@pawl/core';
import type { Happening } from './happening.ts';
import { own } from './semconv.ts';

export type VerdictOutcomes = { see(happening: Happening): void; end(): void };

/**
 * Tells what came of what was done about each verdict: `repeated` when the same rule had to speak again in that turn, else how the
 * turn ended, and `left` when somebody else goes on with it.
 */
export function createVerdictOutcomes(tell: (attributes: Attributes) => void): VerdictOutcomes {
  const open = new Map<string, Verdict>();
  const close = (outcome: string): void => {
    for (const verdict of open.values()) tell(attributesOf(verdict, outcome));
    open.clear();
  };
  return {
    see({ verdicts, endedTurn }) {
      for (const verdict of verdicts) {
        const earlier = open.get(verdict.rule);
        if (earlier !== undefined) tell(attributesOf(earlier, 'repeated'));
        open.set(verdict.rule, verdict);
      }
      if (endedTurn !== null) close(endedTurn.ending);
    },
    end: () => close('left'),
  };
}

function attributesOf({ rule, response }: Verdict, outcome: string): Attributes {
  return { [own.rule]: rule, [own.response]: response.kind, [own.outcome]: outcome };
}
