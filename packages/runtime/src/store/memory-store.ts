import type { EventRow, Rows, SessionRow, SnapshotRow } from './rows.ts';
import type { Store } from './store.ts';
import { storeOn } from './store-on-rows.ts';

/** Keeps sessions for as long as the process lives, by the same rules as the stores that keep them longer. */
export function createMemoryStore(): Store {
  return storeOn(memoryRows());
}

type Kept = {
  row: SessionRow;
  readonly initial: string;
  readonly events: EventRow[];
  snapshot?: SnapshotRow;
};

function memoryRows(): Rows {
  const sessions = new Map<string, Kept>();
  let lastFence = 0;
  const at = (id: string): Kept => {
    const kept = sessions.get(id);
    if (kept === undefined) throw new Error(`No row for ${id}`);
    return kept;
  };
  return {
    read: (work) => work(),
    write: (work) => work(),
    nextFence: () => (lastFence += 1),
    insert: (row, initial) => void sessions.set(row.id, { row, initial, events: [] }),
    find: (id) => sessions.get(id)?.row,
    initial: (id) => at(id).initial,
    update: (row) => void (at(row.id).row = row),
    remove: (id) => void sessions.delete(id),
    list: (limit) =>
      [...sessions.values()]
        .map(({ row }) => row)
        .toSorted((a, b) => b.summary.updatedAt - a.summary.updatedAt || (a.id < b.id ? -1 : 1))
        .slice(0, limit),
    addEvents: (id, events) => {
      const kept = at(id).events;
      for (const event of events) kept.push(event);
    },
    events: (id, after, limit) => {
      const { events } = at(id);
      const start = Math.max(0, after + 1 - (events[0]?.seq ?? 0));
      return events.slice(start, start + limit);
    },
    snapshot: (id) => at(id).snapshot,
    putSnapshot: (id, snapshot) => void (at(id).snapshot = snapshot),
    close: () => sessions.clear(),
  };
}
