import { behaviourFault, step, type Event, type Session } from '@pawl/core';
import { findStray, follow, link, walkChain, type Link } from './chain.ts';
import type { Rows, SessionRow } from './rows.ts';
import { readSnapshot } from './snapshot.ts';
import type { Damage, KeptEvent } from './store.ts';
import { named, StoreError } from './store-error.ts';

export function foundRow(rows: Pick<Rows, 'find'>, id: string): SessionRow {
  const row = rows.find(id);
  if (row === undefined) throw new StoreError('missing', named(id));
  return row;
}

/** A damaged session is not gone on with. */
export function soundRow(rows: Rows, id: string): SessionRow {
  const row = foundRow(rows, id);
  if (row.damage !== null) throw new StoreError('damaged', named(id), row.damage);
  return row;
}

/** Whoever comes with an earlier claim is told who has it now. */
export function refuseOtherClaims({ id, fence, owner }: SessionRow, claimed: number): void {
  if (claimed === fence) return;
  const reason = `${JSON.stringify(owner)}, by claim ${fence}; this was claim ${claimed}`;
  throw new StoreError('held', named(id), reason);
}

/** `head` is the number of the last event that was counted in. */
export type Folded = {
  readonly row: SessionRow;
  readonly session: Session;
  readonly head: number;
  readonly replayed: number;
};

/**
 * The session that all events lead to, or those up to number `at`: from the snapshot, or from the beginning if the
 * snapshot is not to be relied on or is of a later event.
 */
export function fold(
  rows: Rows,
  id: string,
  { from, at }: { readonly from: 'snapshot' | 'beginning'; readonly at?: number | undefined },
): Folded {
  return keepingApart(rows, id, () => {
    const row = soundRow(rows, id);
    const to = at === undefined ? row : linkAskedFor(rows, row, at);
    const snapshot = from === 'snapshot' ? readSnapshot(rows, id) : null;
    const start = snapshot !== null && snapshot.head <= to.head ? snapshot : beginning(rows, row);
    let { session } = start;
    const fault = behaviourFault(session);
    if (fault !== null) throw new StoreError('newer', named(id), fault);
    const damage = walkChain(rows, id, { from: start, to }, ({ seq, event }) => {
      session = stepped(session, event, seq);
    });
    const found = damage ?? findStray(rows, id, row);
    if (found !== null) throw new Damaged(id, found);
    return { row, session, head: to.head, replayed: to.head - start.head };
  });
}

function linkAskedFor(rows: Rows, row: SessionRow, at: number): Link {
  const first = firstLink(rows, row.id);
  if (at === 0 || at === first.head) return first;
  if (Number.isInteger(at) && at > first.head && at <= row.head) return linkAt(rows, row, at);
  const reason = `it goes from event ${first.head} to event ${row.head}; event ${at} was asked for`;
  throw new StoreError('invalid', named(row.id), reason);
}

/** The place of an event that was kept. */
function linkAt(rows: Rows, row: SessionRow, seq: number): Link {
  if (seq === row.head) return row;
  const event = rows.events(row.id, seq - 1, 1)[0];
  if (event?.seq !== seq) throw new Damaged(row.id, { seq, reason: `event ${seq} is not there` });
  return { head: seq, hash: event.hash };
}

/** An event of the right type may still lack what the type says, if someone forged it. */
function stepped(session: Session, event: Event, seq: number): Session {
  try {
    return step(session, event).session;
  } catch {
    throw new Damaged(session.id, { seq, reason: `event ${seq} cannot be replayed` });
  }
}

/** Looks at every link, and marks the session if that finds something new. */
export function inspect(
  rows: Rows,
  id: string,
): { readonly row: SessionRow; readonly damage: Damage | null } {
  const inspected = rows.read(() => {
    const row = foundRow(rows, id);
    const damage = walkChain(rows, id, { from: firstLink(rows, id), to: row }, () => undefined);
    return { row, damage: damage ?? findStray(rows, id, row) };
  });
  const { row, damage } = inspected;
  if ((damage?.reason ?? null) !== row.damage) mark(rows, id, damage);
  return inspected;
}

const pageSize = 500;

/** Page by page, so that a long log is never in memory as a whole and others may write meanwhile. */
export async function* eventsAfter(
  rows: Rows,
  id: string,
  after: number,
): AsyncGenerator<KeptEvent, void, undefined> {
  let at = keepingApart(rows, id, () => linkBefore(rows, foundRow(rows, id), after));
  for (;;) {
    const page = rows.read(() => rows.events(foundRow(rows, id).id, at.head, pageSize));
    for (const row of page) {
      const kept = follow(id, at, row);
      if ('reason' in kept) {
        mark(rows, id, kept);
        throw new Damaged(id, kept);
      }
      at = { head: row.seq, hash: row.hash };
      yield kept;
    }
    if (page.length < pageSize) return;
  }
}

/** The last event that is not asked for, or the beginning. */
function linkBefore(rows: Rows, row: SessionRow, after: number): Link {
  const first = firstLink(rows, row.id);
  return after <= first.head ? first : linkAt(rows, row, Math.min(after, row.head));
}

function beginning(rows: Rows, row: SessionRow): Link & { readonly session: Session } {
  const from = firstLink(rows, row.id);
  const first = rows.events(row.id, from.head, 1)[0];
  const isAsKept = first === undefined ? from.hash === row.hash : link(from.hash, first.text) === first.hash;
  if (!isAsKept) throw new Damaged(row.id, { seq: from.head + 1, reason: 'its beginning was changed' });
  const session = JSON.parse(rows.initial(row.id)) as Session;
  if (session.version !== 1) throw new StoreError('newer', named(row.id));
  return { ...from, session };
}

/** Where the chain starts. The first event of a session that goes on from another one comes after that one's last. */
function firstLink(rows: Rows, id: string): Link {
  const text = rows.initial(id);
  return { head: headIn(text), hash: link('', text) };
}

function headIn(initial: string): number {
  try {
    const { seq } = JSON.parse(initial) as { readonly seq?: unknown };
    return typeof seq === 'number' ? seq : 0;
  } catch {
    // Not a session any more: its hash will show that it was changed.
    return 0;
  }
}

/** Found just now, and still to be marked. */
class Damaged extends StoreError {
  readonly damage: Damage;

  constructor(id: string, damage: Damage) {
    super('damaged', named(id), damage.reason);
    this.damage = damage;
  }
}

/** What turns out to be damaged is marked, so that the list shows it and nobody goes on with it. */
function keepingApart<Result>(rows: Rows, id: string, work: () => Result): Result {
  try {
    return rows.read(work);
  } catch (error) {
    if (error instanceof Damaged) mark(rows, id, error.damage);
    throw error;
  }
}

function mark(rows: Rows, id: string, damage: Damage | null): void {
  rows.write(() => {
    const row = rows.find(id);
    if (row !== undefined) rows.update({ ...row, damage: damage?.reason ?? null });
  });
}
