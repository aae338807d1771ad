import type { Session } from '@pawl/core';
import type { SpanRecord } from './span-writer.ts';
import { findOpenTurn, getTurnKey } from './open-turn.ts';

/** The key of the root span of a session's trace. */
export const rootSpanKey = 'session';

export type SessionStay = {
  observe(seq: number, at: number): void;
  createSpan(now: number): SpanRecord | null;
};

/**
 * The time that a session spends in this process. The process that appends its second event writes the root span, and
 * the log ensures that only one does; all other stays are its children and link to the turn they continued.
 */
export function createSessionStay(session: Session, since: number): SessionStay {
  const { id, seq } = session;
  const turn = findOpenTurn(session);
  let startedAt: number | null = null;
  let isRoot = false;
  return {
    observe(number, at) {
      startedAt ??= Math.min(at, turn?.startedAt ?? at);
      isRoot ||= number === 2;
    },
    createSpan(now) {
      if (startedAt === null) return null;
      const shared = { session: id, end: now, attributes: {}, events: [], error: null };
      if (isRoot) return { ...shared, key: rootSpanKey, parent: null, name: 'session', start: startedAt };
      const links = turn === null ? [] : [getTurnKey(turn)];
      const name = 'session taken up';
      return { ...shared, key: `stay ${seq}`, parent: rootSpanKey, name, start: since, links };
    },
  };
}
