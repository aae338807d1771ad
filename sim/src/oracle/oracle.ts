import type { Event, Session } from '@pawl/core';
import type { LogPosition } from '@pawl/runtime/store';
import type { ExternalWorld } from '../external-world.ts';
import type { DigestTrace } from '../trace.ts';
import type { SessionDriver } from '../sim-world.ts';
import { createSessionLedger, type SessionLedger } from './session-ledger.ts';
import { createCallChecks, type CallChecks } from './call-checks.ts';
import type { InvariantNumber, InvariantViolation } from './invariants.ts';
import { createLogChecks, type LogChecks } from './log-checks.ts';
import { createObserverChecks, type ObserverChecks } from './observer-checks.ts';

export type AppendRecord = {
  readonly at: LogPosition;
  readonly events: readonly Event[];
  readonly texts: readonly string[];
  readonly after: Session;
  readonly position: LogPosition;
};

/** Reports a violated invariant. */
export type ViolationReporter = (invariant: InvariantNumber, what: string) => void;

/**
 * Holds the ground truth of all persisted data and all effects: it is notified of every action of the runtime as it
 * happens, and never queries the runtime.
 */
export type SimOracle = LogChecks &
  CallChecks &
  ObserverChecks & {
    readonly violation: InvariantViolation | null;
    readonly ledgers: ReadonlyMap<string, SessionLedger>;
    readonly fail: ViolationReporter;
    readonly counts: OracleCounts;
    /** Returns a digest of everything that happened. */
    digest(): string;
    onCreated(driver: SessionDriver, session: Session, position: LogPosition): void;
  };

export type OracleCounts = {
  events: number;
  /** Calls started by a driver just after it lost the session: the one case that fencing cannot prevent. */
  lateStarts: number;
  requests: number;
  /** Calls started after another driver had claimed the session, whether or not their results were known by then. */
  startsAfterTakeOver: number;
};

export type SimOracleContext = {
  readonly ledgers: Map<string, SessionLedger>;
  readonly externalWorld: ExternalWorld;
  readonly fail: ViolationReporter;
  readonly counts: OracleCounts;
  readonly trace: DigestTrace;
  /** Number of steps so far. */
  readonly steps: () => number;
};

export function createSimOracle(
  externalWorld: ExternalWorld,
  trace: DigestTrace,
  steps: () => number,
): SimOracle {
  const ledgers = new Map<string, SessionLedger>();
  let violation: InvariantViolation | null = null;
  const fail: ViolationReporter = (invariant, what) => {
    violation ??= { invariant, what, step: steps() };
  };
  const counts: OracleCounts = { events: 0, lateStarts: 0, requests: 0, startsAfterTakeOver: 0 };
  const context: SimOracleContext = { ledgers, externalWorld, fail, counts, trace, steps };
  const checks = { ...createCallChecks(context), ...createObserverChecks(context) };
  return {
    ...checks,
    ...createLogChecks(context, checks),
    ledgers,
    fail,
    counts,
    digest: () => trace.digest(),
    get violation() {
      return violation;
    },
    onCreated(driver, session, { fence, head }) {
      if (ledgers.has(session.id)) fail(5, `${session.id} was created a second time`);
      if (head !== 0) fail(5, `${session.id} was created at event ${head}`);
      ledgers.set(session.id, createSessionLedger(session, driver, fence));
      trace.add(`created ${session.id} ${fence}`);
    },
  };
}
