import { isEphemeralEvent, getUnpausedTurn, type TurnState, toItemArray } from '@pawl/core';
import type { ModelRequest, StepResult } from '@pawl/runtime';
import type { StoredEvent } from '@pawl/runtime/store';
import type { SessionDriver } from '../sim-world.ts';
import type { SessionLedger } from './session-ledger.ts';
import { findFirstDifference } from './difference.ts';
import { findHistoryProblem } from './history.ts';
import type { SimOracleContext } from './oracle.ts';

/** Checks on what models and observers receive. */
export type ObserverChecks = {
  onRequest(driver: SessionDriver, request: ModelRequest): void;
  /** The model completed a reply; its text is unique in the run. */
  onReply(text: string): void;
  /** A reply was persisted. */
  onReplyPersisted(text: string): void;
  /** An observer attaches to an agent whose session is at this event. */
  onAttached(driver: SessionDriver, seq: number): void;
  onObserved(driver: SessionDriver, result: StepResult): void;
  /** A log reader continues after the last event it read. */
  onRead(id: string, after: number, stored: StoredEvent): void;
};

export function createObserverChecks(context: SimOracleContext): ObserverChecks {
  const { ledgers, fail, counts } = context;
  const lastSeen = new Map<SessionDriver, number>();
  const replies = new Set<string>();
  return {
    onRequest(driver, request) {
      counts.requests += 1;
      const problem = findHistoryProblem(toItemArray(request.conversation));
      if (problem !== null) fail(9, `what ${driver.name} sends the model is not valid: ${problem}`);
      const ledger = ledgers.get(driver.session);
      if (ledger === undefined) return fail(6, `${driver.name} asks the model before there is a session`);
      // A superseded driver does not know yet. Its request was persisted, and its next append will be fenced off.
      if (ledger.driver === driver) checkModelRequest(context, ledger, { driver, request });
    },
    onReply: (text) => void replies.add(text),
    onReplyPersisted(text) {
      if (!replies.has(text))
        fail(10, `${JSON.stringify(text)} is stored as a reply, and the model had not finished it`);
    },
    onAttached: (driver, seq) => void lastSeen.set(driver, seq),
    onObserved(driver, { event, session: { seq } }) {
      const last = lastSeen.get(driver) ?? 0;
      lastSeen.set(driver, seq);
      // The observer also gets events that the state machine rejects; they change nothing.
      if (isEphemeralEvent(event) || seq === last) return;
      const text = ledgers.get(driver.session)?.texts[seq - 1];
      if (text === undefined) fail(6, `${driver.name} shows event ${seq}, which is not stored`);
      else if (text !== JSON.stringify(event))
        fail(6, `${driver.name} shows another event ${seq} than the one stored`);
      if (seq !== last + 1) fail(12, `${driver.name} shows event ${seq} after ${last}`);
    },
    onRead(id, after, { seq, event }) {
      if (seq !== after + 1) fail(12, `a reader of ${id} gets event ${seq} after ${after}`);
      if (ledgers.get(id)?.texts[seq - 1] !== JSON.stringify(event))
        fail(12, `a reader of ${id} gets another event ${seq}`);
    },
  };
}

type DriverRequest = { readonly driver: SessionDriver; readonly request: ModelRequest };

function checkModelRequest(
  { fail }: SimOracleContext,
  ledger: SessionLedger,
  { driver, request }: DriverRequest,
): void {
  const turn: TurnState = getUnpausedTurn(ledger.session.turn);
  if (turn.status !== 'callingModel') {
    return fail(6, `${driver.name} asks the model; by what is stored, ${ledger.id} is ${turn.status}`);
  }
  const difference = findFirstDifference(turn.conversation, request.conversation, 'conversation');
  if (difference !== null) fail(6, `${driver.name} sends the model what is not stored: ${difference}`);
  const key = `${ledger.fence} ${turn.request}`;
  if (ledger.requests.has(key))
    fail(13, `${driver.name} asks the model twice for request ${turn.request} of ${ledger.id}`);
  ledger.requests.add(key);
}
