import type { CallFacts } from './call-observation.ts';
import { getTextArgument } from './text-argument.ts';

/** A status message is short; a longer text that contains such words says more than that. */
const statusTextMax = 400;

const notDonePattern =
  /\b(?:still (?:running|going|working|building|waiting|processing)|in[ _-]progress|not (?:yet )?(?:ready|finished|done|complete|completed|available yet)|pending|queued|(?:please )?wait(?:ing)? (?:for|until)|provisioning|(?:status|state)["']?\s*[:=]\s*["']?(?:running|waiting|starting|processing|building|created))\b/i;

const sleepPattern = /^\s*(?:sleep|timeout \d+ sleep)\s+[\d.]+[smh]?\s*;?\s*$/;

/**
 * Whether a call only waits: it sleeps, or polls something that is not done yet. Waiting is bounded by time, not by the
 * number of polls.
 */
export function isWaitingCall({ tool, args, ok, output }: CallFacts): boolean {
  if (!ok) return false;
  if (/^(?:sleep|wait|wait_for\w*|poll)$/i.test(tool)) return true;
  const command = getTextArgument(args, ['command', 'cmd']) ?? (typeof args === 'string' ? args : '');
  if (command.length < statusTextMax && sleepPattern.test(command)) return true;
  return output.length <= statusTextMax && notDonePattern.test(output);
}
