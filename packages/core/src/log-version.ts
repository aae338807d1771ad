/**
 * Changes to what `step` computes from the same events. A session stores the latest log version at creation and keeps
 * it, so that its log replays to the same session with later releases: code with new behavior checks `hasLogPatch`
 * first and keeps the old behavior for sessions with a lower number. Numbers are never reused. docs/replay.md explains
 * how to add a patch.
 */
export const logPatches = {
  failedPhaseOutlivesCancel: {
    number: 1,
    reason:
      'Canceling the work discarded a failed phase that should have ended the session, so the session continued.',
  },
  budgetHoldsForEveryAsk: {
    number: 2,
    reason:
      'Retries and new turns called the model without checking the budget, so a session could exceed it.',
  },
  denialsAreSeen: {
    number: 3,
    reason:
      'The governor observed only executed calls, so a model that kept requesting denied calls was never stopped.',
  },
  countsAreFair: {
    number: 4,
    reason:
      'Waiting for a person counted against the time budget, and paging that could free nothing did not count as a failure.',
  },
} as const satisfies { readonly [name: string]: LogPatch };

export type LogPatch = { readonly number: number; readonly reason: string };

export const latestLogVersion: number = Math.max(...Object.values(logPatches).map(({ number }) => number));

/** Sessions created before log versions existed have none, which counts as 0. */
type VersionedSession = { readonly behaviour?: number };

export function hasLogPatch({ behaviour = 0 }: VersionedSession, { number }: LogPatch): boolean {
  return behaviour >= number;
}

/** Returns why this release cannot continue a session, or null. It could not reproduce the session's behavior. */
export function findLogVersionProblem({ behaviour }: { readonly behaviour?: unknown }): string | null {
  if (behaviour === undefined || isKnownLogVersion(behaviour)) return null;
  const shown = typeof behaviour === 'number' ? String(behaviour) : 'not a number';
  return `its log version ("behaviour") is ${shown}; this release supports 0 to ${latestLogVersion}`;
}

function isKnownLogVersion(behaviour: unknown): boolean {
  return (
    Number.isInteger(behaviour) && (behaviour as number) >= 0 && (behaviour as number) <= latestLogVersion
  );
}
