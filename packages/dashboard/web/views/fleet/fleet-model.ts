import type { FleetStatus } from '../../app/api-types.ts';

/** Totals over all queues, with the counts that indicate problems. */
export type FleetTotals = {
  readonly waiting: number;
  readonly delayed: number;
  readonly active: number;
  readonly stalled: number;
  readonly parked: number;
  readonly workers: number;
  /** Leases whose owner is gone; these sessions must be taken over. */
  readonly orphaned: number;
};

export function computeFleetTotals({ queues, parked, workers, leases }: FleetStatus): FleetTotals {
  const sum = (getCount: (queue: FleetStatus['queues'][number]) => number): number =>
    queues.reduce((total, queue) => total + getCount(queue), 0);
  return {
    waiting: sum(({ waiting }) => waiting),
    delayed: sum(({ delayed }) => delayed),
    active: sum(({ active }) => active),
    stalled: sum(({ stalled }) => stalled),
    parked: parked.length,
    workers: workers.length,
    orphaned: leases.filter(({ state }) => state === 'gone').length,
  };
}

/** Lists problems and what to do about them, most severe first. */
export function listFleetProblems(fleet: FleetStatus): readonly string[] {
  const { waiting, stalled, parked, workers, orphaned } = computeFleetTotals(fleet);
  const isQueued = fleet.store.kind === 'redis';
  return [
    ...(stalled > 0 ? [`${formatSessionsHave(stalled)} lost the worker. Another worker takes over.`] : []),
    ...(parked > 0
      ? [`${formatSessionsAre(parked)} parked after repeated failures. Retry with \`pawl queue retry\`.`]
      : []),
    ...(orphaned > 0 ? [`${formatSessionsAre(orphaned)} held by a process that no longer exists.`] : []),
    ...(isQueued && workers === 0 && waiting > 0
      ? [`${formatSessionsAre(waiting)} waiting and no worker is connected: start one with \`pawl worker\`.`]
      : []),
  ];
}

function formatSessionsHave(count: number): string {
  return count === 1 ? '1 session has' : `${count} sessions have`;
}

function formatSessionsAre(count: number): string {
  return count === 1 ? '1 session is' : `${count} sessions are`;
}
