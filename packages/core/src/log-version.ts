/**
 * Changes to what `step` computes from the same events. A session stores the latest log version at creation and keeps
 * it, so that its log replays to the same session with later releases: code with new behavior checks `hasLogPatch`
 * first and keeps the old behavior for sessions with a lower number. Numbers are never reused. docs/replay.md explains
 * how to add a patch.
 */
export const logPatches = {
  failedPhaseOutlivesCancel: {
    number: 1,
    why: 'Calling off the work dropped a failed phase that was to end the session, and the session went on.',
  },
  budgetHoldsForEveryAsk: {
    number: 2,
    why: 'Retries and new turns asked the model as if there were budget left, and a session used up more than it had.',
  },
  denialsAreSeen: {
    number: 3,
    why: 'The governor saw only calls that ran: a model that asked for ever for what was denied was never stopped.',
  },
  countsAreFair: {
    number: 4,
    why: "A person's absence used up the agent's time, and making room where there was nothing to move was no failure.",
  },
} as const satisfies { readonly [name: string]: LogPatch };

export type LogPatch = { readonly number: number; readonly why: string };

export const latestLogVersion: number = Math.max(...Object.values(logPatches).map(({ number }) => number));

/** Sessions created before log versions existed have none, which counts as 0. */
type VersionedSession = { readonly behaviour?: number };

export function hasLogPatch({ behaviour = 0 }: VersionedSession, { number }: LogPatch): boolean {
  return behaviour >= number;
}

/** Returns why this release cannot continue a session, or null. It could not reproduce the session's behavior. */
export function findLogVersionProblem({ behaviour }: { readonly behaviour?: unknown }): string | null {
  if (behaviour === undefined || isKnownLogVersion(behaviour)) return null;
  const given = typeof behaviour === 'number' ? String(behaviour) : 'no number';
  return `its behaviour is ${given}, and this version knows those from 0 to ${latestLogVersion}`;
}

function isKnownLogVersion(behaviour: unknown): boolean {
  return (
    Number.isInteger(behaviour) && (behaviour as number) >= 0 && (behaviour as number) <= latestLogVersion
  );
}
