import type { Event, Session } from '@pawl/core';
import type { Position } from '@pawl/runtime';
import type { Outside } from '../outside.ts';
import type { Trace } from '../trace.ts';
import type { Driver } from '../world.ts';
import { openBook, type Book } from './book.ts';
import { callChecks, type CallChecks } from './call-checks.ts';
import type { Invariant, Violation } from './invariants.ts';
import { logChecks, type LogChecks } from './log-checks.ts';
import { watchChecks, type WatchChecks } from './watch-checks.ts';

export type Appended = {
  readonly at: Position;
  readonly events: readonly Event[];
  readonly texts: readonly string[];
  readonly after: Session;
  readonly position: Position;
};

/** Reports that something that must hold does not. */
export type Fail = (invariant: Invariant, what: string) => void;

/**
 * Knows what was really kept and what really happened, and is told of whatever the runtime does at the moment it does it.
 * It asks the runtime nothing.
 */
export type Oracle = LogChecks &
  CallChecks &
  WatchChecks & {
    readonly violation: Violation | null;
    readonly books: ReadonlyMap<string, Book>;
    readonly fail: Fail;
    readonly counts: OracleCounts;
    /** Sums up all that happened. */
    digest(): string;
    created(driver: Driver, session: Session, position: Position): void;
  };

export type OracleCounts = {
  events: number;
  /** Calls begun by a process that a session had been taken from just before: the one thing a fence cannot keep out. */
  lateStarts: number;
  requests: number;
  /** Calls begun after somebody else had claimed the session: the starts of those who woke too late, settled by then or not. */
  startsAfterTakeOver: number;
};

export type Known = {
  readonly books: Map<string, Book>;
  readonly outside: Outside;
  readonly fail: Fail;
  readonly counts: OracleCounts;
  readonly trace: Trace;
  /** How many steps the run has come. */
  readonly steps: () => number;
};

export function createOracle(outside: Outside, trace: Trace, steps: () => number): Oracle {
  const books = new Map<string, Book>();
  let violation: Violation | null = null;
  const fail: Fail = (invariant, what) => {
    violation ??= { invariant, what, step: steps() };
  };
  const counts: OracleCounts = { events: 0, lateStarts: 0, requests: 0, startsAfterTakeOver: 0 };
  const known: Known = { books, outside, fail, counts, trace, steps };
  const checks = { ...callChecks(known), ...watchChecks(known) };
  return {
    ...checks,
    ...logChecks(known, checks),
    books,
    fail,
    counts,
    digest: () => trace.digest(),
    get violation() {
      return violation;
    },
    created(driver, session, { fence, head }) {
      if (books.has(session.id)) fail(5, `${session.id} was created a second time`);
      if (head !== 0) fail(5, `${session.id} was created at event ${head}`);
      books.set(session.id, openBook(session, driver, fence));
      trace.add(`created ${session.id} ${fence}`);
    },
  };
}
