import { durableView, isEphemeral, type Event, type Session } from '@pawl/core';
import { chain, link } from './chain.ts';
import { jsonText } from './json-text.ts';
import { eventsAfter, fold, inspect, soundRow } from './kept-session.ts';
import type { Rows, SessionRow } from './rows.ts';
import { isSnapshotDue, snapshotOf } from './snapshot.ts';
import type { Position, SessionSummary, Store } from './store.ts';
import { named, StoreError } from './store-error.ts';
import { summarised, summaryOf } from './summary.ts';

/** All the rules of a store, on whatever holds its rows. */
export function storeOn(rows: Rows): Store {
  return {
    async create(session, owner) {
      return create(rows, session, owner);
    },
    async claim(id, owner) {
      return claim(rows, id, owner);
    },
    async open(id) {
      const { row, session, replayed } = fold(rows, id, 'snapshot');
      const { fence, head, owner } = row;
      return { session, fence, head, owner, replayed };
    },
    async append(id, at, events, after) {
      return append(rows, id, at, { events, after });
    },
    events: (id, after = 0) => eventsAfter(rows, id, after),
    async snapshot(id) {
      const { row, session } = fold(rows, id, 'beginning');
      putSnapshot(rows, row, session);
    },
    async verify(id) {
      const { row, damage } = inspect(rows, id);
      return damage === null ? { ok: true, head: row.head } : { ok: false, ...damage };
    },
    async list({ limit = 1_000 } = {}) {
      return rows.read(() => rows.list(limit).map(toSummary));
    },
    async remove(id) {
      return rows.write(() => {
        if (rows.find(id) === undefined) return false;
        rows.remove(id);
        return true;
      });
    },
    async close() {
      rows.close();
    },
  };
}

function create(rows: Rows, session: Session, owner: string): Position {
  const { id, seq } = session;
  checkName('id', id);
  checkName('owner', owner);
  const durable = durableView(session);
  const initial = jsonText(durable, named(id));
  const row = {
    id,
    owner,
    head: seq,
    hash: link('', initial),
    damage: null,
    summary: summaryOf(durable),
    snapshotHead: seq,
    snapshotBytes: initial.length,
    tailBytes: 0,
  };
  return rows.write(() => {
    if (rows.find(id) !== undefined) throw new StoreError('conflict', named(id), 'it was created before');
    const fence = rows.nextFence();
    rows.insert({ ...row, fence }, initial);
    return { fence, head: seq };
  });
}

function claim(rows: Rows, id: string, owner: string): Position {
  checkName('owner', owner);
  return rows.write(() => {
    const row = soundRow(rows, id);
    const fence = rows.nextFence();
    rows.update({ ...row, fence, owner });
    return { fence, head: row.head };
  });
}

const nameMax = 200;

function checkName(what: string, name: string): void {
  const isFit = name.length > 0 && name.length <= nameMax && name.isWellFormed() && !name.includes('\0');
  if (isFit) return;
  const reason = `an ${what} has 1 to ${nameMax} characters of proper Unicode, none of them NUL`;
  throw new StoreError('invalid', JSON.stringify(name.slice(0, nameMax)), reason);
}

type Addition = { readonly events: readonly Event[]; readonly after: Session };

function append(rows: Rows, id: string, at: Position, { events, after }: Addition): Position {
  const kept = events.filter((event) => !isEphemeral(event));
  const texts = kept.map((event) => jsonText(event, named(id)));
  const row = rows.write(() => {
    const before = soundRow(rows, id);
    refuseOthers(before, at);
    const links = chain(before, texts);
    const now: SessionRow = {
      ...before,
      head: before.head + links.length,
      hash: links.at(-1)?.hash ?? before.hash,
      tailBytes: before.tailBytes + texts.reduce((sum, text) => sum + text.length, 0),
      summary: summarised(before.summary, kept, after),
    };
    rows.addEvents(id, links);
    rows.update(now);
    return now;
  });
  if (isSnapshotDue(row)) tryToSnapshot(rows, row, after);
  return { fence: row.fence, head: row.head };
}

function refuseOthers({ id, fence, owner, head }: SessionRow, at: Position): void {
  if (at.fence !== fence) {
    const reason = `${JSON.stringify(owner)}, by claim ${fence}; this was claim ${at.fence}`;
    throw new StoreError('held', named(id), reason);
  }
  if (at.head !== head) {
    throw new StoreError('conflict', named(id), `it stands at event ${head}, not ${at.head}`);
  }
}

/** The events are kept already, and a snapshot only saves time: that there is none is no reason to fail. */
function tryToSnapshot(rows: Rows, row: SessionRow, after: Session): void {
  try {
    putSnapshot(rows, row, durableView(after));
  } catch {
    // The next append tries again.
  }
}

function putSnapshot(rows: Rows, row: SessionRow, session: Session): void {
  const text = jsonText(session, named(row.id));
  rows.write(() => {
    const now = rows.find(row.id);
    if (now === undefined || now.snapshotHead > row.head) return;
    // Without events a snapshot saves nobody anything, and where the session was made anew it would be of another.
    if (rows.events(row.id, row.head - 1, 1)[0]?.hash !== row.hash) return;
    rows.putSnapshot(row.id, snapshotOf(row, text));
    rows.update({ ...now, snapshotHead: row.head, snapshotBytes: text.length, tailBytes: 0 });
  });
}

function toSummary({ id, damage, summary }: SessionRow): SessionSummary {
  return damage === null ? { id, ...summary } : { id, ...summary, status: 'damaged' };
}
