import { durableView, isEphemeral, type Event, type Session } from '@pawl/core';
import { commandIn } from '../commands/carrying-out.ts';
import type { CommandChannel } from '../commands/channel.ts';
import { readAbout } from './about.ts';
import { chain } from './chain.ts';
import { jsonText } from './json-text.ts';
import { eventsAfter, fold, inspect, refuseOtherClaims, soundRow } from './kept-session.ts';
import { checkName, newRow } from './new-row.ts';
import type { EventRow, Rows, SessionRow } from './rows.ts';
import { isSnapshotDue, snapshotOf } from './snapshot.ts';
import type { CreateOptions, OpenedSession, Position, SessionSummary, Store } from './store.ts';
import { named, StoreError } from './store-error.ts';
import { summarised } from './summary.ts';

/** All the rules of a store, on whatever holds its rows. */
export function storeOn(rows: Rows, commands: CommandChannel): Store {
  return {
    commands,
    async create(session, owner, options = {}) {
      return create(rows, session, owner, options);
    },
    async claim(id, owner, from) {
      const fence = claim(rows, id, owner, from);
      // Nobody under an earlier claim can have moved it since, and whoever has claimed it after this has another fence.
      return { ...open(rows, id), fence, owner };
    },
    async open(id, { at } = {}) {
      return open(rows, id, at);
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
    async claims(id) {
      return rows.read(() => rows.claims(id));
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
  const initial = jsonText(durableView(session), named(id));
  const begun = newRow(session, owner, initial, options);
  const { row, links } = past === undefined ? { row: begun, links: [] } : withPast(begun, past);
  const made = rows.write(() => {
    if (rows.find(id) !== undefined) throw new StoreError('conflict', named(id), 'it was created before');
    const claimed = { ...row, fence: rows.nextFence() };
    rows.insert(claimed, initial);
    rows.addEvents(id, links);
    noteClaim(rows, claimed);
    return claimed;
  });
  if (past !== undefined && isSnapshotDue(made)) tryToSnapshot(rows, made, past.after);
  return { fence: made.fence, head: made.head };
}

/** Whatever the times of its events, a session with a past begins now. */
function withPast(begun: SessionRow, { events, after }: Addition): Extended {
  const { row, links } = extended(begun, keepable(begun.id, { events, after }));
  const { updatedAt } = begun.summary;
  return { row: { ...row, summary: { ...row.summary, updatedAt } }, links };
}

function open(rows: Rows, id: string, at?: number): OpenedSession {
  const { row, session, head, replayed } = fold(rows, id, { from: 'snapshot', at });
  const { fence, owner, about, parent } = row;
  return { session, fence, head, owner, about: readAbout(about), parent, replayed };
}

/** The number of the claim. */
function claim(rows: Rows, id: string, owner: string, from: number | undefined): number {
  checkName('owner', owner);
  return rows.write(() => {
    const row = soundRow(rows, id);
    if (from !== undefined) refuseOtherClaims(row, from);
    const fence = rows.nextFence();
    rows.update({ ...row, fence, owner });
    noteClaim(rows, { ...row, owner });
    return fence;
  });
}

function noteClaim(rows: Rows, { id, owner, head, summary }: SessionRow): void {
  rows.addClaim(id, { owner, head, status: summary.status });
}

type Addition = { readonly events: readonly Event[]; readonly after: Session };

function append(rows: Rows, id: string, at: Position, addition: Addition): Position {
  const kept = keepable(id, addition);
  const commands = addition.events.flatMap((event) => commandIn(event) ?? []);
  const now = rows.write(() => {
    const before = soundRow(rows, id);
    refuseOtherClaims(before, at.fence);
    if (at.head !== before.head) {
      throw new StoreError('conflict', named(id), `it stands at event ${before.head}, not ${at.head}`);
    }
    const { row, links } = extended(before, kept);
    rows.addEvents(id, links);
    rows.update(row);
    if (commands.length > 0) rows.takeCommands(id, commands);
    return row;
  });
  if (isSnapshotDue(now)) tryToSnapshot(rows, now, addition.after);
  return { fence: now.fence, head: now.head };
}

type Keepable = Addition & { readonly texts: readonly string[] };

/** Without ephemeral events, and with the texts to be kept. */
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
    // Without events a snapshot saves nothing, and if the session was made anew it would be of another one.
    if (rows.events(row.id, row.head - 1, 1)[0]?.hash !== row.hash) return;
    rows.putSnapshot(row.id, snapshotOf(row, text));
    rows.update({ ...now, snapshotHead: row.head, snapshotBytes: text.length, tailBytes: 0 });
  });
}

function toSummary({ id, head, owner, damage, summary, about, parent }: SessionRow): SessionSummary {
  const { status } = summary;
  const shown = damage === null ? status : 'damaged';
  return { id, ...summary, status: shown, head, owner, about: readAbout(about), parent };
}
