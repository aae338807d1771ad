import { pawlRules } from '@pawl/governor/rules';

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
  resultsAreRead: {
    number: 5,
    reason:
      'The governor believed the mark of a result, so a failure that only its text shows went unnoticed, and the headers of hosts made equal results look different.',
  },
  seedsInSessions: {
    number: 6,
    reason:
      'A thought that did not change the mode ended the turn as its answer, paging began in modes that do not lead to it, and the command log lacked calls that were denied or could not be read.',
  },
} as const satisfies { readonly [name: string]: LogPatch };

export type LogPatch = { readonly number: number; readonly reason: string };

/** A new rule of the governor takes the next log version as well, as its `since`. */
export const latestLogVersion: number = Math.max(
  ...Object.values(logPatches).map(({ number }) => number),
  ...pawlRules.map(({ since = 0 }) => since),
);

/** Sessions created before log versions existed have none, which counts as 0. */
type VersionedSession = { readonly logVersion?: number };

export function hasLogPatch({ logVersion = 0 }: VersionedSession, { number }: LogPatch): boolean {
  return logVersion >= number;
}

/** Returns why this release cannot continue a session, or null. It could not reproduce the session's behavior. */
export function findLogVersionProblem({ logVersion }: { readonly logVersion?: unknown }): string | null {
  if (logVersion === undefined || isKnownLogVersion(logVersion)) return null;
  const shown = typeof logVersion === 'number' ? String(logVersion) : 'not a number';
  return `its log version is ${shown}; this release supports 0 to ${latestLogVersion}`;
}

function isKnownLogVersion(version: unknown): boolean {
  return Number.isInteger(version) && (version as number) >= 0 && (version as number) <= latestLogVersion;
}
