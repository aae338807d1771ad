import type { ClientRun } from './run-client.ts';
import type { HostScript } from './scripts.ts';

/** Returns what is wrong with a governed run, or null. A run without the governor only shows what it prevents. */
export function findRunFault(run: ClientRun, script: HostScript): string | null {
  if (run.problems.length > 0) return `invalid history: ${run.problems[0] ?? ''}`;
  if (run.governedBy === 'nothing') return null;
  return script.isHealthy ? findHealthyFault(run, script) : findLoopFault(run, script);
}

function findHealthyFault(run: ClientRun, { requestsMax }: HostScript): string | null {
  if (run.requests !== requestsMax) return `${run.requests} requests instead of ${requestsMax}`;
  if (!run.hasAnswer) return 'it ended without an answer';
  return run.isUnchanged === false ? 'its requests were changed' : null;
}

/**
 * Hooks stop an agent whose model ignores them, and cannot make it answer. Some agents do not report the end of a reply
 * to their hooks, so one more denied call is tolerated.
 */
function findLoopFault({ requests, hasAnswer, governedBy }: ClientRun, script: HostScript): string | null {
  const requestsMax = script.requestsMax + (governedBy === 'hook' ? 1 : 0);
  if (requests > requestsMax) return `${requests} requests, at most ${requestsMax} expected`;
  return hasAnswer || governedBy === 'hook' ? null : 'it ended without an answer';
}
