import type { CallFacts } from './observation.ts';
import { textUnder } from './text-under.ts';

/** What says that something is not done yet is short; a long text that holds such a word says more than that. */
const statusMax = 400;

const notDone =
  /\b(?:still (?:running|going|working|building|waiting|processing)|in[ _-]progress|not (?:yet )?(?:ready|finished|done|complete|completed|available yet)|pending|queued|(?:please )?wait(?:ing)? (?:for|until)|provisioning|(?:status|state)["']?\s*[:=]\s*["']?(?:running|waiting|starting|processing|building|created))\b/i;

const sleeps = /^\s*(?:sleep|timeout \d+ sleep)\s+[\d.]+[smh]?\s*;?\s*$/;

/**
 * Whether a call only waits: it sleeps, or it asks how something else is getting on and hears that it is not done.
 * Waiting is bounded by time and not by how often one looks.
 */
export function isWaiting({ tool, args, ok, said }: CallFacts): boolean {
  if (!ok) return false;
  if (/^(?:sleep|wait|wait_for\w*|poll)$/i.test(tool)) return true;
  const command = textUnder(args, ['command', 'cmd']) ?? (typeof args === 'string' ? args : '');
  if (command.length < statusMax && sleeps.test(command)) return true;
  return said.length <= statusMax && notDone.test(said);
}
