import type { Session } from '@pawl/core';
import { aboutText } from './about.ts';
import { link } from './chain.ts';
import type { SessionRow } from './rows.ts';
import type { CreateOptions, Parent } from './store.ts';
import { named, StoreError } from './store-error.ts';
import { summaryOf } from './summary.ts';

/** The row of a session without events, before anybody has claimed it; throws if it holds what cannot be kept. */
export function newRow(session: Session, owner: string, initial: string, options: CreateOptions): SessionRow {
  const { id, seq } = session;
  const { past, about = null, createdAt = (past?.after ?? session).turn.since } = options;
  checkName('owner', owner);
  checkNumber('time of creation', createdAt, Number.isFinite(createdAt));
  return {
    id,
    owner,
    fence: 0,
    head: seq,
    hash: link('', initial),
    damage: null,
    summary: summaryOf(session, createdAt),
    about: aboutText(about, named(id)),
    parent: past === undefined ? null : checkedParent(past.parent),
    snapshotHead: seq,
    snapshotBytes: initial.length,
    tailBytes: 0,
  };
}

function checkedParent({ id, at }: Parent): Parent {
  checkName('id', id);
  checkNumber('number of the last event of the parent', at, Number.isSafeInteger(at) && at >= 0);
  return { id, at };
}

function checkNumber(what: string, value: number, isFit: boolean): void {
  if (!isFit) throw new StoreError('invalid', what, String(value));
}

const nameMax = 200;

export function checkName(what: string, name: string): void {
  const isFit = name.length > 0 && name.length <= nameMax && name.isWellFormed() && !name.includes('\0');
  if (isFit) return;
  const reason = `an ${what} has 1 to ${nameMax} characters of proper Unicode, none of them NUL`;
  throw new StoreError('invalid', JSON.stringify(name.slice(0, nameMax)), reason);
}
