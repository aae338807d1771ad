import type { Json } from '@pawl/core';
import { restingStatuses } from '@pawl/core/projections';
import type { SessionClaim } from '@pawl/runtime/store';
import { formatDateTime } from '../../output/format-time.ts';
import { truncateColumns } from '../../output/columns.ts';

/** A process claimed a session from another owner in the middle of its work. */
export type SessionTakeover = {
  readonly by: string;
  readonly from: string;
  /** Time in milliseconds, and the last event before the takeover. */
  readonly at: number;
  readonly after: number;
};

/** A claim without work in progress is not a takeover. */
function hasWork({ status }: SessionClaim): boolean {
  return status !== 'damaged' && !restingStatuses.has(status);
}

/** Finds takeovers in a session's claims. */
export function findTakeovers(claims: readonly SessionClaim[], metadata: Json): readonly SessionTakeover[] {
  // The first claim is that of the submitter, which only hands the session to the workers.
  const workClaims = isWorkerSession(metadata) ? claims.slice(1) : claims;
  return workClaims.flatMap((claim, index) => {
    const before = workClaims[index - 1];
    const isTakeover = before !== undefined && before.owner !== claim.owner && hasWork(claim);
    return isTakeover ? [{ by: claim.owner, from: before.owner, at: claim.at, after: claim.head }] : [];
  });
}

const maxShownTakeovers = 5;

/** Null if there are no takeovers. */
export function formatTakeovers(takeovers: readonly SessionTakeover[]): string | null {
  if (takeovers.length === 0) return null;
  const times = takeovers.length === 1 ? 'once' : `${takeovers.length} times`;
  const shown = takeovers
    .slice(-maxShownTakeovers)
    .map(
      ({ by, from, at, after }) =>
        `by ${formatOwner(by)} from ${formatOwner(from)} at ${formatDateTime(at)}, after event ${after}`,
    );
  const more = takeovers.length > maxShownTakeovers ? 'most recently ' : '';
  return `${times}: ${more}${shown.join('; ')}`;
}

/** Shortens an owner name to its host and process id. */
function formatOwner(owner: string): string {
  const [, host, pid] = /^pawl host=(\S+) .*\bpid=(\d+) /.exec(owner) ?? [];
  return truncateColumns(host === undefined ? owner : `${host}:${pid}`, 80);
}

function isWorkerSession(metadata: Json): boolean {
  return typeof metadata === 'object' && metadata !== null && Object.hasOwn(metadata, 'worker');
}
