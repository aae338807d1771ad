import type { ToolOutcome } from '@pawl/core';

/** Returns the answer in a final tool result, or null. The runtime uses the same definition. */
export function findToolAnswer(outcome: ToolOutcome): string | null {
  if (!outcome.ok || outcome.final !== true) return null;
  const { output } = outcome;
  if (typeof output === 'string') return output;
  const answer = output !== null && typeof output === 'object' && 'answer' in output ? output.answer : null;
  return typeof answer === 'string' ? answer : JSON.stringify(output);
}
