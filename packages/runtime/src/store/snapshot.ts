import type { Session } from '@pawl/core';
import { createHash } from 'node:crypto';
import type { Link } from './chain.ts';
import type { Rows, SessionRow, SnapshotRow } from './rows.ts';

/** To be raised whenever the same events lead to another session, or to one of another shape. */
const snapshotVersion = 1;

/** Fewer events than this are quickly replayed. */
const eventsMin = 100;

/**
 * A snapshot is as long as the session, so one after every so many events would take more and more bytes. It is due when the
 * events since the last one are as long as it is: so the bytes ever written grow in step with the events.
 */
export function isSnapshotDue({ head, snapshotHead, snapshotBytes, tailBytes }: SessionRow): boolean {
  return head - snapshotHead >= eventsMin && tailBytes >= snapshotBytes;
}

export function snapshotOf({ head, hash }: Link, text: string): SnapshotRow {
  const unchecked = { version: snapshotVersion, head, hash, text };
  return { ...unchecked, checksum: checksumOf(unchecked) };
}

/** What the snapshot holds; null when there is none, or none that can be relied on. */
export function readSnapshot(rows: Rows, id: string): (Link & { readonly session: Session }) | null {
  const snapshot = rows.snapshot(id);
  if (snapshot === undefined || snapshot.version !== snapshotVersion) return null;
  const { head, hash, text, checksum } = snapshot;
  if (checksumOf(snapshot) !== checksum) return null;
  // The checksum says that it is a snapshot as it was made; this, that it was made from these events.
  if (rows.events(id, head - 1, 1)[0]?.hash !== hash) return null;
  return { head, hash, session: JSON.parse(text) as Session };
}

function checksumOf({ version, head, hash, text }: Omit<SnapshotRow, 'checksum'>): string {
  return createHash('sha256').update(`${version}\n${head}\n${hash}\n`).update(text).digest('hex');
}
