import { createRowCommandChannel, createRowStore } from './row-store.ts';
import { commandLimits } from './command-channel.ts';
import {
  claimsMax,
  type CommandRow,
  type CommandRows,
  type EventRow,
  type StoreRows,
  type SessionRow,
  type SnapshotRow,
} from './rows.ts';
import type { SessionClaim, Store } from './store.ts';

/** Stores sessions for the lifetime of the process, by the same rules as the persistent stores. */
export function createMemoryStore(now: () => number = () => Date.now()): Store {
  const rows = createMemoryRows(now);
  return createRowStore(rows, createRowCommandChannel(rows));
}

type StoredSession = {
  row: SessionRow;
  readonly initial: string;
  readonly events: EventRow[];
  snapshot?: SnapshotRow;
  readonly claims: SessionClaim[];
  readonly commands: Map<string, CommandRow>;
  /** Maps request ids to command ids. */
  readonly requests: Map<string, string>;
};

function createMemoryRows(now: () => number): StoreRows & CommandRows {
  const sessions = new Map<string, StoredSession>();
  let lastFence = 0;
  let lastCommand = 0;
  const getStored = (id: string): StoredSession => {
    const stored = sessions.get(id);
    if (stored === undefined) throw new Error(`There is no row for session ${JSON.stringify(id)}.`);
    return stored;
  };
  return {
    read: (work) => work(),
    write: (work) => work(),
    nextFence: () => (lastFence += 1),
    insert: (row, initial) => {
      const empty = { events: [], claims: [], commands: new Map(), requests: new Map() };
      sessions.set(row.id, { row, initial, ...empty });
    },
    find: (id) => sessions.get(id)?.row,
    initial: (id) => getStored(id).initial,
    update: (row) => void (getStored(row.id).row = row),
    remove: (id) => void sessions.delete(id),
    list: (limit) =>
      [...sessions.values()]
        .map(({ row }) => row)
        .toSorted((a, b) => b.summary.updatedAt - a.summary.updatedAt || (a.id < b.id ? -1 : 1))
        .slice(0, limit),
    addEvents: (id, events) => {
      const stored = getStored(id).events;
      for (const event of events) stored.push(event);
    },
    events: (id, after, limit) => {
      const { events } = getStored(id);
      const start = Math.max(0, after + 1 - (events[0]?.seq ?? 0));
      return events.slice(start, start + limit);
    },
    snapshot: (id) => getStored(id).snapshot,
    putSnapshot: (id, snapshot) => void (getStored(id).snapshot = snapshot),
    addClaim: (id, claim) => {
      const { claims } = getStored(id);
      claims.push({ ...claim, at: now() });
      claims.splice(0, claims.length - claimsMax);
    },
    claims: (id) => [...(sessions.get(id)?.claims ?? [])],
    addCommand: (id, text, request) => {
      const { commands, requests } = getStored(id);
      lastCommand += 1;
      const command = { id: String(lastCommand), text };
      commands.set(command.id, command);
      if (request !== null) requests.set(request, command.id);
      const [oldest] = requests.size > commandLimits.requestIdsMax ? requests.keys() : [];
      if (oldest !== undefined) requests.delete(oldest);
      return command.id;
    },
    commands: (id, limit) => [...(sessions.get(id)?.commands.values() ?? [])].slice(0, limit),
    findCommandId: (id, request) => getStored(id).requests.get(request),
    removeCommands: (id, commands) => {
      for (const command of commands) sessions.get(id)?.commands.delete(command);
    },
    close: () => sessions.clear(),
  };
}
