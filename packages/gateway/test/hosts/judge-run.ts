import type { ClientRun } from './run-client.ts';
import type { HostScript } from './scripts.ts';

/** Returns what is wrong with a governed run, or null. A run without the governor only shows what it prevents. */
export function findRunFault(run: ClientRun, script: HostScript): string | null {
  if (run.problems.length > 0) return `invalid history: ${run.problems[0] ?? ''}`;
  if (run.governedBy === 'nothing') return null;
  // Some agents do not report the end of a reply to their hooks, so one more denied call is tolerated.
  const requestsMax = script.requestsMax + (run.governedBy === 'hook' && !script.isHealthy ? 1 : 0);
  if (run.requests > requestsMax) return `${run.requests} requests, at most ${requestsMax} expected`;
  // Hooks stop an agent whose model ignores them; they cannot make it answer.
  if (!run.hasAnswer && (script.isHealthy || run.governedBy === 'proxy')) return 'it ended without an answer';
  if (!script.isHealthy) return null;
  if (run.requests !== script.commands.length + 1) return `${run.requests} requests of healthy work`;
  return run.isUnchanged === false ? 'healthy requests were changed' : null;
}
