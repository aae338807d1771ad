import type { Fleet } from '../../app/api-types.ts';

/** The queues added up, with how much there is to worry about. */
export type FleetTotals = {
  readonly waiting: number;
  readonly delayed: number;
  readonly active: number;
  readonly stalled: number;
  readonly parked: number;
  readonly workers: number;
  /** Leases whose owner is gone: the sessions that somebody must take over. */
  readonly orphaned: number;
};

export function fleetTotals({ queues, parked, workers, leases }: Fleet): FleetTotals {
  const sum = (of: (queue: Fleet['queues'][number]) => number): number =>
    queues.reduce((total, queue) => total + of(queue), 0);
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

/** What stands out and what to do about it, gravest first. */
export function fleetWorries(fleet: Fleet): readonly string[] {
  const { waiting, stalled, parked, workers, orphaned } = fleetTotals(fleet);
  const isQueued = fleet.store.kind === 'redis';
  return [
    ...(stalled > 0 ? [`${have(stalled)} lost the worker and will be taken over by another.`] : []),
    ...(parked > 0 ? [`${are(parked)} left alone until somebody says \`pawl queue retry\`.`] : []),
    ...(orphaned > 0 ? [`${are(orphaned)} held by a process that is gone.`] : []),
    ...(isQueued && workers === 0 && waiting > 0
      ? [`${are(waiting)} waiting and no worker is there: start one with \`pawl worker\`.`]
      : []),
  ];
}

function have(count: number): string {
  return count === 1 ? 'One session has' : `${count} sessions have`;
}

function are(count: number): string {
  return count === 1 ? 'One session is' : `${count} sessions are`;
}
