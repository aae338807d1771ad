import type { HookActivity } from '../../src/hook/hook-state.ts';
import type { ClientRun } from './run-client.ts';
import type { HostScript } from './scripts.ts';

/** Returns what is wrong with a governed run, or null. A run without the governor only shows what it prevents. */
export function findRunFault(run: ClientRun, script: HostScript): string | null {
  if (run.problems.length > 0) return `invalid history: ${run.problems[0] ?? ''}`;
  if (run.governedBy === 'nothing') return null;
  if (run.isTimedOut) return 'it did not end in time';
  return script.isHealthy ? findHealthyFault(run, script) : findLoopFault(run, script);
}

function findHealthyFault(run: ClientRun, { requestsMax }: HostScript): string | null {
  if (run.requests !== requestsMax) return `${run.requests} requests instead of ${requestsMax}`;
  if (!run.hasAnswer) return 'it ended without an answer';
  if (run.isUnchanged === false) return 'its requests were changed';
  return run.activity === null ? null : findActivityFault(run.activity);
}

/** Hooks must see healthy work and leave it alone. */
function findActivityFault({ sessions, advice, denials, stops }: HookActivity): string | null {
  if (sessions !== 1) return `the hooks saw ${sessions} sessions instead of 1`;
  const interventions = advice + denials + stops;
  return interventions === 0
    ? null
    : `${advice} advice, ${denials} denials and ${stops} stops instead of none`;
}

/** Hooks stop an agent whose model ignores them, and cannot make it answer. */
function findLoopFault(
  { requests, hasAnswer, governedBy }: ClientRun,
  { requestsMax, endsWithAnswer }: HostScript,
): string | null {
  if (requests > requestsMax) return `${requests} requests, at most ${requestsMax} expected`;
  const mayStop = governedBy === 'hook' && !endsWithAnswer;
  return hasAnswer || mayStop ? null : 'it ended without an answer';
}
