import type { Store } from '@pawl/runtime';
import { queuedIn, type SessionQueue } from '@pawl/worker';
import type { Fleet } from '../api/index.ts';
import { quietStatuses } from '../sessions/statuses.ts';
import type { Host, Prepare } from './host.ts';
import { idFor } from './ids.ts';
import { conflicting, missing } from './local-host.ts';
import { prepared } from './prepared.ts';

export type QueueHostOptions = {
  readonly store: Store;
  readonly queue: SessionQueue;
  readonly owner: string;
  readonly prepare: Prepare;
  readonly now: () => number;
  /** For the sessions in the same store that are not for workers. */
  readonly local: Host;
};

/** Hands sessions to the workers. Those that were begun by hand are gone on with in this process. */
export function createQueueHost({ store, queue, owner, prepare, now, local }: QueueHostOptions): Host {
  return {
    ...local,
    async submit(asked) {
      const id = idFor('create', asked.requestId);
      const before = await store.open(id).catch(missing);
      if (before !== null && before.session.seq > 0) return { id, isNew: false };
      // One that has no goal yet was never handed over: whoever began it did not get that far.
      if (before !== null) await store.remove(id);
      const { session, about } = await prepared(prepare, asked, id);
      const made = queue.submit(session, asked.goal, { about, owner, now: now() });
      // Whoever asked for the same at the same time was first.
      return { id, isNew: (await made.catch(conflicting)) !== null };
    },
    async send(id, command, requestId) {
      const { about } = await store.open(id);
      if (queuedIn(about) === null) return local.send(id, command, requestId);
      return queue.send(id, command, requestId === undefined ? {} : { requestId });
    },
    holderOf(session) {
      const isQueued = queuedIn(session.about ?? null) !== null;
      // A worker lets go of what waits for people.
      return isQueued && quietStatuses.has(session.status) ? 'nobody' : local.holderOf(session);
    },
    async fleet() {
      const [here, queues, parked, workers] = await Promise.all([
        local.fleet(),
        queue.depths(),
        queue.parked(),
        workersOf(queue),
      ]);
      return { ...here, queues: [...queues], parked: [...parked], workers };
    },
  };
}

/** Those that listen at the queues now, as far as Redis knows. */
async function workersOf({ parts: { queues } }: SessionQueue): Promise<Fleet['workers']> {
  const found = await Promise.all(
    (await queues.tenants()).map(async (tenant) => {
      const workers = await queues.of(tenant).getWorkers();
      return workers.map((worker) => ({
        name: worker['addr'] ?? worker['id'] ?? 'worker',
        tenant,
        idleMs: worker['idle'] === undefined ? null : Number(worker['idle']) * 1_000,
      }));
    }),
  );
  return found.flat();
}
