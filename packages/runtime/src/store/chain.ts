import { eventTypes, type Event } from '@pawl/core';
import { upgradeEvent } from '@pawl/core/upgrade';
import { hash as hashOf } from 'node:crypto';
import type { EventRow, StoreRows } from './rows.ts';
import type { LogDamage, StoredEvent } from './store.ts';
import { formatSessionLabel, StoreError } from './store-error.ts';

/**
 * Each event's hash covers the hash before it, and the first covers the initial session, so that no event can be
 * changed, removed or moved without breaking a link. The hash is computed over the exact stored text.
 */
export function computeLinkHash(previous: string, text: string): string {
  return hashOf('sha256', `${previous}\n${text}`, 'hex');
}

/** A position in the hash chain. */
export type ChainLink = { readonly head: number; readonly hash: string };

export function chainEvents(from: ChainLink, texts: readonly string[]): readonly EventRow[] {
  let { head, hash } = from;
  return texts.map((text) => {
    head += 1;
    hash = computeLinkHash(hash, text);
    return { seq: head, text, hash };
  });
}

const chainPageSize = 500;

/** Visits every event after `from` and up to `to`; stops at the first broken link and returns the damage. */
export function walkChain(
  rows: StoreRows,
  id: string,
  { from, to }: { readonly from: ChainLink; readonly to: ChainLink },
  visit: (event: StoredEvent) => void,
): LogDamage | null {
  let at = from;
  while (at.head < to.head) {
    const page = rows.events(id, at.head, Math.min(chainPageSize, to.head - at.head));
    for (const row of page) {
      const event = verifyNextEvent(id, at, row);
      if ('reason' in event) return event;
      visit(event);
      at = { head: row.seq, hash: row.hash };
    }
    if (page.length === 0) break;
  }
  if (at.head !== to.head)
    return { seq: at.head + 1, reason: `event ${at.head + 1} of ${to.head} is missing` };
  return at.hash === to.hash
    ? null
    : { seq: at.head, reason: `event ${at.head} is not the last one that was stored` };
}

/** Reports an event stored beyond the session's head. */
export function findStrayEvent(rows: StoreRows, id: string, { head }: ChainLink): LogDamage | null {
  const stray = rows.events(id, head, 1)[0];
  return stray === undefined
    ? null
    : { seq: stray.seq, reason: `event ${stray.seq} exists, but only ${head} events were stored` };
}

/** Returns the next event if its link is valid. */
export function verifyNextEvent(
  id: string,
  at: ChainLink,
  { seq, text, hash }: EventRow,
): StoredEvent | LogDamage {
  const expected = at.head + 1;
  if (seq !== expected) return { seq: expected, reason: `event ${expected} is missing` };
  if (computeLinkHash(at.hash, text) !== hash)
    return { seq, reason: `event ${seq} or an earlier one was changed` };
  const event = parseStoredEvent(text);
  if (event === null) return { seq, reason: `event ${seq} is not an event` };
  if (knownEventTypes.has(event.type)) return { seq, event, hash };
  throw new StoreError(
    'newer',
    formatSessionLabel(id),
    `event ${seq} has the type ${JSON.stringify(event.type)}`,
  );
}

/** The hash proves that the text is the one written; the checks only make a forged chain harmless. */
function parseStoredEvent(text: string): Event | null {
  try {
    const event = upgradeEvent(JSON.parse(text)) as Event | null;
    return typeof event?.type === 'string' ? event : null;
  } catch {
    return null;
  }
}

const knownEventTypes: ReadonlySet<string> = new Set(eventTypes);
