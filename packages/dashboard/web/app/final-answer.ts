import type { Outcome } from '@pawl/core';

/** The answer that a tool brings, if its outcome is the end of the work; the runtime takes the same for it. */
export function finalAnswer(outcome: Outcome): string | null {
  if (!outcome.ok || outcome.final !== true) return null;
  const { output } = outcome;
  if (typeof output === 'string') return output;
  const answer = output !== null && typeof output === 'object' && 'answer' in output ? output.answer : null;
  return typeof answer === 'string' ? answer : JSON.stringify(output);
}
