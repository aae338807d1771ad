import { findLogVersionProblem, step, type Event, type Session } from '@pawl/core';
import { upgradeSession } from '@pawl/core/upgrade';
import { createHash } from 'node:crypto';
import { findStrayEvent, verifyNextEvent, computeLinkHash, walkChain, type ChainLink } from './chain.ts';
import type { StoreRows, SessionRow, SnapshotRow } from './rows.ts';
import { formatSessionLabel, StoreError } from './store-error.ts';
import type { LogDamage, StoredEvent } from './store.ts';

export function requireRow(rows: Pick<StoreRows, 'find'>, id: string): SessionRow {
  const row = rows.find(id);
  if (row === undefined) throw new StoreError('missing', formatSessionLabel(id));
  return row;
}

/** Throws if the session is marked as damaged. */
export function requireUndamagedRow(rows: StoreRows, id: string): SessionRow {
  const row = requireRow(rows, id);
  if (row.damage !== null) throw new StoreError('damaged', formatSessionLabel(id), row.damage);
  return row;
}

/** Throws if the claim is stale; the error names the current owner. */
export function requireCurrentClaim({ id, fence, owner }: SessionRow, claimed: number): void {
  if (claimed === fence) return;
  const reason = `${JSON.stringify(owner)}, claim ${fence}; this was claim ${claimed}`;
  throw new StoreError('held', formatSessionLabel(id), reason);
}

/** `head` is the number of the last replayed event. */
export type ReplayedSession = {
  readonly row: SessionRow;
  readonly session: Session;
  readonly head: number;
  readonly replayed: number;
};

/**
 * Replays all events, or those up to number `at`. Starts from the snapshot, or from the beginning if the snapshot is
 * unreliable or newer than `at`.
 */
export function replayStoredSession(
  rows: StoreRows,
  id: string,
  { from, at }: { readonly from: 'snapshot' | 'beginning'; readonly at?: number | undefined },
): ReplayedSession {
  return readAndRecordDamage(rows, id, () => {
    const row = requireUndamagedRow(rows, id);
    const to = at === undefined ? row : resolveRequestedLink(rows, row, at);
    const snapshot = from === 'snapshot' ? loadSnapshot(rows, id) : null;
    const start = snapshot !== null && snapshot.head <= to.head ? snapshot : loadInitialSession(rows, row);
    let { session } = start;
    const problem = findLogVersionProblem(session);
    if (problem !== null) throw new StoreError('newer', formatSessionLabel(id), problem);
    const damage = walkChain(rows, id, { from: start, to }, ({ seq, event }) => {
      session = replayEvent(session, event, seq);
    });
    const firstDamage = damage ?? findStrayEvent(rows, id, row);
    if (firstDamage !== null) throw new DamagedSessionError(id, firstDamage);
    return { row, session, head: to.head, replayed: to.head - start.head };
  });
}

function resolveRequestedLink(rows: StoreRows, row: SessionRow, at: number): ChainLink {
  const first = getFirstLink(rows, row.id);
  if (at === 0 || at === first.head) return first;
  if (Number.isInteger(at) && at > first.head && at <= row.head) return findChainLink(rows, row, at);
  const reason = `it has events ${first.head} to ${row.head}; event ${at} was requested`;
  throw new StoreError('invalid', formatSessionLabel(row.id), reason);
}

/** Returns the chain link of a stored event. */
function findChainLink(rows: StoreRows, row: SessionRow, seq: number): ChainLink {
  if (seq === row.head) return row;
  const event = rows.events(row.id, seq - 1, 1)[0];
  if (event?.seq !== seq) throw new DamagedSessionError(row.id, { seq, reason: `event ${seq} is missing` });
  return { head: seq, hash: event.hash };
}

/** A forged event may have a known type but lack the fields of that type, so `step` may throw. */
function replayEvent(session: Session, event: Event, seq: number): Session {
  try {
    return step(session, event).session;
  } catch {
    throw new DamagedSessionError(session.id, { seq, reason: `event ${seq} cannot be replayed` });
  }
}

/** Verifies every link of the chain and updates the session's damage mark if the result differs from it. */
export function inspectChain(
  rows: StoreRows,
  id: string,
): { readonly row: SessionRow; readonly damage: LogDamage | null } {
  const inspection = rows.read(() => {
    const row = requireRow(rows, id);
    const damage = walkChain(rows, id, { from: getFirstLink(rows, id), to: row }, () => undefined);
    return { row, damage: damage ?? findStrayEvent(rows, id, row) };
  });
  const { row, damage } = inspection;
  if ((damage?.reason ?? null) !== row.damage) recordDamage(rows, id, damage);
  return inspection;
}

const eventsPageSize = 500;

/** Reads page by page, so that a long log never loads into memory as a whole and others can write in between. */
export async function* streamEvents(
  rows: StoreRows,
  id: string,
  after: number,
): AsyncGenerator<StoredEvent, void, undefined> {
  let at = readAndRecordDamage(rows, id, () => findPrecedingLink(rows, requireRow(rows, id), after));
  for (;;) {
    const page = rows.read(() => rows.events(requireRow(rows, id).id, at.head, eventsPageSize));
    for (const row of page) {
      const event = verifyNextEvent(id, at, row);
      if ('reason' in event) {
        recordDamage(rows, id, event);
        throw new DamagedSessionError(id, event);
      }
      at = { head: row.seq, hash: row.hash };
      yield event;
    }
    if (page.length < eventsPageSize) return;
  }
}

/** Returns the link of the last event that was not requested, or the first link. */
function findPrecedingLink(rows: StoreRows, row: SessionRow, after: number): ChainLink {
  const first = getFirstLink(rows, row.id);
  return after <= first.head ? first : findChainLink(rows, row, Math.min(after, row.head));
}

function loadInitialSession(rows: StoreRows, row: SessionRow): ChainLink & { readonly session: Session } {
  const from = getFirstLink(rows, row.id);
  const first = rows.events(row.id, from.head, 1)[0];
  const isIntact =
    first === undefined ? from.hash === row.hash : computeLinkHash(from.hash, first.text) === first.hash;
  if (!isIntact)
    throw new DamagedSessionError(row.id, { seq: from.head + 1, reason: 'its initial state was changed' });
  const session = upgradeSession(JSON.parse(rows.initial(row.id)) as object);
  if (session.version !== 1) throw new StoreError('newer', formatSessionLabel(row.id));
  return { ...from, session };
}

/**
 * The start of the chain. The first event of a continued session is numbered after the last event of the earlier one.
 */
function getFirstLink(rows: StoreRows, id: string): ChainLink {
  const text = rows.initial(id);
  return { head: parseInitialHead(text), hash: computeLinkHash('', text) };
}

function parseInitialHead(initial: string): number {
  try {
    const { seq } = JSON.parse(initial) as { readonly seq?: unknown };
    return typeof seq === 'number' ? seq : 0;
  } catch {
    // The initial text is no longer valid JSON; the hash check reports the change.
    return 0;
  }
}

/** Damage that was just detected and is not recorded yet. */
class DamagedSessionError extends StoreError {
  readonly damage: LogDamage;

  constructor(id: string, damage: LogDamage) {
    super('damaged', formatSessionLabel(id), damage.reason);
    this.damage = damage;
  }
}

/** Records any damage it finds, so that session lists show it and the session cannot be resumed. */
function readAndRecordDamage<Result>(rows: StoreRows, id: string, work: () => Result): Result {
  try {
    return rows.read(work);
  } catch (error) {
    if (error instanceof DamagedSessionError) recordDamage(rows, id, error.damage);
    throw error;
  }
}

function recordDamage(rows: StoreRows, id: string, damage: LogDamage | null): void {
  rows.write(() => {
    const row = rows.find(id);
    if (row !== undefined) rows.update({ ...row, damage: damage?.reason ?? null });
  });
}

/** Increment whenever the same events produce a different session or one of a different shape. */
const snapshotVersion = 2;

/** Below this number of events, a replay is fast enough without a snapshot. */
const snapshotEventsMin = 100;

/**
 * A snapshot is as large as the session, so a snapshot every N events would write ever more bytes. One is due when the
 * events since the last snapshot are as large as it is, so total bytes written grow linearly with the events.
 */
export function isSnapshotDue({ head, snapshotHead, snapshotBytes, tailBytes }: SessionRow): boolean {
  return head - snapshotHead >= snapshotEventsMin && tailBytes >= snapshotBytes;
}

export function createSnapshotRow({ head, hash }: ChainLink, text: string): SnapshotRow {
  const unchecked = { version: snapshotVersion, head, hash, text };
  return { ...unchecked, checksum: computeSnapshotChecksum(unchecked) };
}

/** Loads the snapshot; null if there is none or it is unreliable. */
function loadSnapshot(rows: StoreRows, id: string): (ChainLink & { readonly session: Session }) | null {
  const snapshot = rows.snapshot(id);
  if (snapshot === undefined || snapshot.version !== snapshotVersion) return null;
  const { head, hash, text, checksum } = snapshot;
  if (computeSnapshotChecksum(snapshot) !== checksum) return null;
  // The checksum proves that the snapshot is intact; this check proves that it was made from these events.
  if (rows.events(id, head - 1, 1)[0]?.hash !== hash) return null;
  return { head, hash, session: JSON.parse(text) as Session };
}

function computeSnapshotChecksum({ version, head, hash, text }: Omit<SnapshotRow, 'checksum'>): string {
  return createHash('sha256').update(`${version}\n${head}\n${hash}\n`).update(text).digest('hex');
}
