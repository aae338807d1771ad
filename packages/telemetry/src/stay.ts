import type { Session } from '@pawl/core';
import type { WrittenSpan } from './span-writer.ts';
import { turnIn, turnKey } from './turns.ts';

/** The root of a session's trace. */
export const rootKey = 'session';

export type Stay = {
  see(seq: number, at: number): void;
  span(now: number): WrittenSpan | null;
};

/**
 * The time that a session spends here. Whoever keeps its second event writes the root span, and the log sees to it that only one
 * does; all other stays are below it, and link to the turn they went on with.
 */
export function stayOf(session: Session, since: number): Stay {
  const { id, seq } = session;
  const turn = turnIn(session);
  let begunAt: number | null = null;
  let isRoot = false;
  return {
    see(number, at) {
      begunAt ??= Math.min(at, turn?.heardAt ?? at);
      isRoot ||= number === 2;
    },
    span(now) {
      if (begunAt === null) return null;
      const shared = { session: id, end: now, attributes: {}, events: [], error: null };
      if (isRoot) return { ...shared, key: rootKey, parent: null, name: 'session', start: begunAt };
      const links = turn === null ? [] : [turnKey(turn)];
      const name = 'session taken up';
      return { ...shared, key: `stay ${seq}`, parent: rootKey, name, start: since, links };
    },
  };
}
