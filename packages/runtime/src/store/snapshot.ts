import type { Session } from '@pawl/core';
import { createHash } from 'node:crypto';
import type { ChainLink } from './chain.ts';
import type { StoreRows, SessionRow, SnapshotRow } from './rows.ts';

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
export function loadSnapshot(
  rows: StoreRows,
  id: string,
): (ChainLink & { readonly session: Session }) | null {
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
