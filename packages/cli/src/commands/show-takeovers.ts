import type { Json } from '@pawl/core';
import type { Claim } from '@pawl/runtime';
import { dateTime } from './show-time.ts';
import { fit } from './columns.ts';

/** Somebody went on with what somebody else had in hand. */
export type Takeover = {
  readonly by: string;
  readonly from: string;
  /** When, in milliseconds, and after which event. */
  readonly at: number;
  readonly after: number;
};

/** Where nothing is in anybody's hand: going on from there is no takeover. */
const atRest: ReadonlySet<Claim['status']> = new Set([
  'waitingForUser',
  'awaitingPermission',
  'paused',
  'halted',
  'shuttingDown',
  'damaged',
]);

/** When a session changed hands in the middle of its work, told from its claims. */
export function takeoversIn(claims: readonly Claim[], about: Json): readonly Takeover[] {
  // Whoever hands a session to workers has it only for as long as that takes.
  const worked = isForWorkers(about) ? claims.slice(1) : claims;
  return worked.flatMap((claim, index) => {
    const before = worked[index - 1];
    const isTakeover = before !== undefined && before.owner !== claim.owner && !atRest.has(claim.status);
    return isTakeover ? [{ by: claim.owner, from: before.owner, at: claim.at, after: claim.head }] : [];
  });
}

const shownMax = 5;

/** Null where there is nothing to tell. */
export function takeoversText(takeovers: readonly Takeover[]): string | null {
  if (takeovers.length === 0) return null;
  const times = takeovers.length === 1 ? 'once' : `${takeovers.length} times`;
  const shown = takeovers
    .slice(-shownMax)
    .map(
      ({ by, from, at, after }) =>
        `by ${nameOf(by)} from ${nameOf(from)} at ${dateTime(at)}, after event ${after}`,
    );
  const more = takeovers.length > shownMax ? 'of these last ' : '';
  return `${times}: ${more}${shown.join('; ')}`;
}

/** The machine and the process, of a name that a process gave itself. */
function nameOf(owner: string): string {
  const [, host, pid] = /^pawl host=(\S+) .*\bpid=(\d+) /.exec(owner) ?? [];
  return fit(host === undefined ? owner : `${host}:${pid}`, 80);
}

function isForWorkers(about: Json): boolean {
  return typeof about === 'object' && about !== null && Object.hasOwn(about, 'worker');
}
