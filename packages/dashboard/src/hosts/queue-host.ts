import type { Store } from '@pawl/runtime/store';
import { getQueueAssignment, type SessionQueue } from '@pawl/worker';
import type { FleetStatus } from '../api/index.ts';
import {
  waitingForPersonStatuses,
  prepareSession,
  deriveStableId,
  nullIfMissing,
  nullIfConflict,
  type SessionHost,
  type SessionPreparer,
} from './session-host.ts';

export type QueueHostOptions = {
  readonly store: Store;
  readonly queue: SessionQueue;
  readonly owner: string;
  readonly prepare: SessionPreparer;
  readonly now: () => number;
  /** Handles the sessions in the same store that are not queued for workers. */
  readonly local: SessionHost;
};

/** Submits sessions to the workers' queue. Sessions without a queue assignment run in this process. */
export function createQueueHost({ store, queue, owner, prepare, now, local }: QueueHostOptions): SessionHost {
  return {
    ...local,
    async submit(request) {
      const id = deriveStableId('create', request.requestId);
      const existing = await store.open(id).catch(nullIfMissing);
      if (existing !== null && existing.session.seq > 0) return { id, isNew: false };
      // A session without a goal was never enqueued: an earlier submit failed before that.
      if (existing !== null) await store.remove(id);
      const { session, metadata } = await prepareSession(prepare, request, id);
      const submission = queue.submit(session, request.goal, { metadata, owner, now: now() });
      // A conflict means that a concurrent request created the session first.
      return { id, isNew: (await submission.catch(nullIfConflict)) !== null };
    },
    async send(id, command, requestId) {
      const { metadata } = await store.open(id);
      if (getQueueAssignment(metadata) === null) return local.send(id, command, requestId);
      return queue.send(id, command, requestId === undefined ? {} : { requestId });
    },
    getHolder(session) {
      const isQueued = getQueueAssignment(session.metadata ?? null) !== null;
      // A worker releases sessions that wait for a user.
      return isQueued && waitingForPersonStatuses.has(session.status) ? 'nobody' : local.getHolder(session);
    },
    async fleet() {
      const [localStatus, queues, parked, workers] = await Promise.all([
        local.fleet(),
        queue.depths(),
        queue.parked(),
        listWorkers(queue),
      ]);
      return { ...localStatus, queues: [...queues], parked: [...parked], workers };
    },
  };
}

/** Lists the workers currently connected to the queues, according to Redis. */
async function listWorkers({ parts: { queues } }: SessionQueue): Promise<FleetStatus['workers']> {
  const workersByTenant = await Promise.all(
    (await queues.tenants()).map(async (tenant) => {
      const workers = await queues.getQueue(tenant).getWorkers();
      return workers.map((worker) => ({
        name: worker['addr'] ?? worker['id'] ?? 'worker',
        tenant,
        idleMs: worker['idle'] === undefined ? null : Number(worker['idle']) * 1_000,
      }));
    }),
  );
  return workersByTenant.flat();
}
