import { durableView, isEphemeral, type Event, type Json, type Session } from '@pawl/core';
import { chain, link } from './chain.ts';
import { jsonText } from './json-text.ts';
import { eventsAfter, fold, inspect, soundRow } from './kept-session.ts';
import type { EventRow, Rows, SessionRow } from './rows.ts';
import { isSnapshotDue, snapshotOf } from './snapshot.ts';
import type { CreateOptions, Parent, Position, SessionSummary, Store } from './store.ts';
import { named, StoreError } from './store-error.ts';
import { summarised, summaryOf } from './summary.ts';

/** All the rules of a store, on whatever holds its rows. */
export function storeOn(rows: Rows): Store {
  return {
    async create(session, owner, options = {}) {
      return create(rows, session, owner, options);
    },
    async claim(id, owner, from) {
      return claim(rows, id, owner, from);
    },
    async open(id, { at } = {}) {
      const { row, session, head, replayed } = fold(rows, id, { from: 'snapshot', at });
      const { fence, owner, about, parent } = row;
      return { session, fence, head, owner, about: parse(about), parent, replayed };
    },
    async append(id, at, events, after) {
      return append(rows, id, at, { events, after });
    },
    events: (id, after = 0) => eventsAfter(rows, id, after),
    async snapshot(id) {
      const { row, session } = fold(rows, id, { from: 'beginning' });
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

function create(rows: Rows, session: Session, owner: string, options: CreateOptions): Position {
  const { id } = session;
  const { past } = options;
  checkName('id', id);
  checkName('owner', owner);
  const initial = jsonText(durableView(session), named(id));
  const begun = beginningOf(session, owner, initial, options);
  const { row, links } = past === undefined ? { row: begun, links: [] } : withPast(begun, past);
  const made = rows.write(() => {
    if (rows.find(id) !== undefined) throw new StoreError('conflict', named(id), 'it was created before');
    const claimed = { ...row, fence: rows.nextFence() };
    rows.insert(claimed, initial);
    rows.addEvents(id, links);
    return claimed;
  });
  if (past !== undefined && isSnapshotDue(made)) tryToSnapshot(rows, made, past.after);
  return { fence: made.fence, head: made.head };
}

/** The row of a session without events, before anybody has claimed it. */
function beginningOf(session: Session, owner: string, initial: string, options: CreateOptions): SessionRow {
  const { id, seq } = session;
  const { past, about = null, createdAt = (past?.after ?? session).turn.since } = options;
  checkNumber('time of creation', createdAt, Number.isFinite(createdAt));
  return {
    id,
    owner,
    fence: 0,
    head: seq,
    hash: link('', initial),
    damage: null,
    summary: summaryOf(session, createdAt),
    about: about === null ? null : aboutText(id, about),
    parent: past === undefined ? null : checkedParent(past.parent),
    snapshotHead: seq,
    snapshotBytes: initial.length,
    tailBytes: 0,
  };
}

/** It is read with every list. */
const aboutMax = 10_000;

function aboutText(id: string, about: Json): string {
  const text = jsonText(about, named(id));
  if (text.length <= aboutMax) return text;
  const reason = `what is said about it has ${text.length} characters, and ${aboutMax} are the most`;
  throw new StoreError('invalid', named(id), reason);
}

function checkedParent({ id, at }: Parent): Parent {
  checkName('id', id);
  checkNumber('number of the last event of the parent', at, Number.isSafeInteger(at) && at >= 0);
  return { id, at };
}

function checkNumber(what: string, value: number, isFit: boolean): void {
  if (!isFit) throw new StoreError('invalid', what, String(value));
}

/** Whatever the times of its events, a session with a past has begun just now. */
function withPast(begun: SessionRow, { events, after }: Addition): Extended {
  const { row, links } = extended(begun, keepable(begun.id, { events, after }));
  const { updatedAt } = begun.summary;
  return { row: { ...row, summary: { ...row.summary, updatedAt } }, links };
}

function claim(rows: Rows, id: string, owner: string, from: number | undefined): Position {
  checkName('owner', owner);
  return rows.write(() => {
    const row = soundRow(rows, id);
    if (from !== undefined) refuseOtherClaims(row, from);
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

function append(rows: Rows, id: string, at: Position, addition: Addition): Position {
  const kept = keepable(id, addition);
  const now = rows.write(() => {
    const before = soundRow(rows, id);
    refuseOtherClaims(before, at.fence);
    if (at.head !== before.head) {
      throw new StoreError('conflict', named(id), `it stands at event ${before.head}, not ${at.head}`);
    }
    const { row, links } = extended(before, kept);
    rows.addEvents(id, links);
    rows.update(row);
    return row;
  });
  if (isSnapshotDue(now)) tryToSnapshot(rows, now, addition.after);
  return { fence: now.fence, head: now.head };
}

function refuseOtherClaims({ id, fence, owner }: SessionRow, claimed: number): void {
  if (claimed === fence) return;
  const reason = `${JSON.stringify(owner)}, by claim ${fence}; this was claim ${claimed}`;
  throw new StoreError('held', named(id), reason);
}

type Keepable = Addition & { readonly texts: readonly string[] };

/** Without what is only for showing, and with the texts to be kept. */
function keepable(id: string, { events, after }: Addition): Keepable {
  const kept = events.filter((event) => !isEphemeral(event));
  return { events: kept, after, texts: kept.map((event) => jsonText(event, named(id))) };
}

type Extended = { readonly row: SessionRow; readonly links: readonly EventRow[] };

function extended(before: SessionRow, { events, after, texts }: Keepable): Extended {
  const links = chain(before, texts);
  const row = {
    ...before,
    head: before.head + links.length,
    hash: links.at(-1)?.hash ?? before.hash,
    tailBytes: before.tailBytes + texts.reduce((sum, text) => sum + text.length, 0),
    summary: summarised(before.summary, events, after),
  };
  return { row, links };
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

function toSummary({ id, head, owner, damage, summary, about, parent }: SessionRow): SessionSummary {
  const { status } = summary;
  const shown = damage === null ? status : 'damaged';
  return { id, ...summary, status: shown, head, owner, about: parse(about), parent };
}

/** What is said about a session is only for finding it: that it cannot be read keeps nobody from the session. */
function parse(about: string | null): Json {
  try {
    return about === null ? null : (JSON.parse(about) as Json);
  } catch {
    return null;
  }
}
