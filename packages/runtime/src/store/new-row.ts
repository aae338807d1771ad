import type { Session } from '@pawl/core';
import { serializeMetadata } from './session-metadata.ts';
import { computeLinkHash } from './chain.ts';
import type { SessionRow } from './rows.ts';
import type { CreateSessionOptions, SessionParent } from './store.ts';
import { formatSessionLabel, StoreError } from './store-error.ts';
import { createRowSummary } from './summary.ts';

/** Creates the row of a session without events, before its first claim; throws if a value cannot be stored. */
export function createSessionRow(
  session: Session,
  owner: string,
  initial: string,
  options: CreateSessionOptions,
): SessionRow {
  const { id, seq } = session;
  const { past, metadata = null, createdAt = (past?.after ?? session).turn.since } = options;
  validateRowName('owner', owner);
  validateRowNumber('time of creation', createdAt, Number.isFinite(createdAt));
  return {
    id,
    owner,
    fence: 0,
    head: seq,
    hash: computeLinkHash('', initial),
    damage: null,
    summary: createRowSummary(session, createdAt),
    metadata: serializeMetadata(metadata, formatSessionLabel(id)),
    parent: past === undefined ? null : validateParent(past.parent),
    snapshotHead: seq,
    snapshotBytes: initial.length,
    tailBytes: 0,
  };
}

function validateParent({ id, at }: SessionParent): SessionParent {
  validateRowName('id', id);
  validateRowNumber('number of the last event of the parent', at, Number.isSafeInteger(at) && at >= 0);
  return { id, at };
}

function validateRowNumber(label: string, value: number, isValid: boolean): void {
  if (!isValid) throw new StoreError('invalid', label, String(value));
}

const rowNameMax = 200;

export function validateRowName(label: string, name: string): void {
  const isValid = name.length > 0 && name.length <= rowNameMax && name.isWellFormed() && !name.includes('\0');
  if (isValid) return;
  const reason = `an ${label} has 1 to ${rowNameMax} characters of valid Unicode without NUL`;
  throw new StoreError('invalid', JSON.stringify(name.slice(0, rowNameMax)), reason);
}
