import { eventTypes, type Event } from '@pawl/core';
import { hash as hashOf } from 'node:crypto';
import type { EventRow, Rows } from './rows.ts';
import type { Damage, KeptEvent } from './store.ts';
import { named, StoreError } from './store-error.ts';

/**
 * The hash of an event covers the one before it, and the first that of the session as it was created: nothing can be
 * changed, left out or put elsewhere without breaking a link. It is taken over the very text that is kept.
 */
export function link(previous: string, text: string): string {
  return hashOf('sha256', `${previous}\n${text}`, 'hex');
}

/** A place in a chain. */
export type Link = { readonly head: number; readonly hash: string };

export function chain(from: Link, texts: readonly string[]): readonly EventRow[] {
  let { head, hash } = from;
  return texts.map((text) => {
    head += 1;
    hash = link(hash, text);
    return { seq: head, text, hash };
  });
}

const pageSize = 500;

/** Hands over every event after one place and up to another, or to the first whose link does not hold. */
export function walkChain(
  rows: Rows,
  id: string,
  { from, to }: { readonly from: Link; readonly to: Link },
  visit: (kept: KeptEvent) => void,
): Damage | null {
  let at = from;
  while (at.head < to.head) {
    const page = rows.events(id, at.head, Math.min(pageSize, to.head - at.head));
    for (const row of page) {
      const kept = follow(id, at, row);
      if ('reason' in kept) return kept;
      visit(kept);
      at = { head: row.seq, hash: row.hash };
    }
    if (page.length === 0) break;
  }
  if (at.head !== to.head)
    return { seq: at.head + 1, reason: `event ${at.head + 1} of ${to.head} is not there` };
  return at.hash === to.hash
    ? null
    : { seq: at.head, reason: `event ${at.head} is not the one that was kept last` };
}

/** There is nothing after the event that was kept last. */
export function findStray(rows: Rows, id: string, { head }: Link): Damage | null {
  const stray = rows.events(id, head, 1)[0];
  return stray === undefined
    ? null
    : { seq: stray.seq, reason: `event ${stray.seq} is there, and only ${head} were kept` };
}

/** The next event, if it follows what is before it. */
export function follow(id: string, at: Link, { seq, text, hash }: EventRow): KeptEvent | Damage {
  const expected = at.head + 1;
  if (seq !== expected) return { seq: expected, reason: `event ${expected} is not there` };
  if (link(at.hash, text) !== hash) return { seq, reason: `event ${seq} or what is before it was changed` };
  const event = parse(text);
  if (event === null) return { seq, reason: `event ${seq} is not an event` };
  if (known.has(event.type)) return { seq, event, hash };
  throw new StoreError('newer', named(id), `event ${seq} is of the type ${JSON.stringify(event.type)}`);
}

/** By its hash the text is the one that was written; a chain that someone forged is only kept from doing harm. */
function parse(text: string): Event | null {
  try {
    const event = JSON.parse(text) as Event | null;
    return typeof event?.type === 'string' ? event : null;
  } catch {
    return null;
  }
}

const known: ReadonlySet<string> = new Set(eventTypes);
