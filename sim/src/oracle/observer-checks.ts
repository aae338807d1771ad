import { isEphemeralEvent, toItemArray, getUnpausedTurn, type TurnState } from '@pawl/core';
import type { StoredEvent, ModelRequest, StepResult } from '@pawl/runtime';
import type { SessionDriver } from '../sim-world.ts';
import type { SessionLedger } from './session-ledger.ts';
import { findFirstDifference } from './difference.ts';
import { findHistoryProblem } from './history.ts';
import type { SimOracleContext } from './oracle.ts';

/** Checks on what models and observers receive. */
export type ObserverChecks = {
  asked(driver: SessionDriver, request: ModelRequest): void;
  /** The model completed a reply; its text is unique in the run. */
  replied(text: string): void;
  /** A reply was persisted. */
  replyKept(text: string): void;
  /** An observer attaches to an agent whose session is at this event. */
  watching(driver: SessionDriver, seq: number): void;
  observed(driver: SessionDriver, seen: StepResult): void;
  /** A log reader continues after the last event it read. */
  readOn(id: string, after: number, kept: StoredEvent): void;
};

export function createObserverChecks(known: SimOracleContext): ObserverChecks {
  const { books, fail, counts } = known;
  const lastSeen = new Map<SessionDriver, number>();
  const replies = new Set<string>();
  return {
    asked(driver, request) {
      counts.requests += 1;
      const problem = findHistoryProblem(toItemArray(request.conversation));
      if (problem !== null) fail(9, `what ${driver.name} sends the model is not valid: ${problem}`);
      const book = books.get(driver.session);
      if (book === undefined) return fail(6, `${driver.name} asks the model before there is a session`);
      // A superseded driver does not know yet. Its request was persisted, and its next append will be fenced off.
      if (book.driver === driver) checkModelRequest(known, book, { driver, request });
    },
    replied: (text) => void replies.add(text),
    replyKept(text) {
      if (!replies.has(text))
        fail(10, `${JSON.stringify(text)} is kept as a reply, and the model had not finished it`);
    },
    watching: (driver, seq) => void lastSeen.set(driver, seq),
    observed(driver, { event, session: { seq } }) {
      const last = lastSeen.get(driver) ?? 0;
      lastSeen.set(driver, seq);
      // The observer also gets events that the state machine rejects; they change nothing.
      if (isEphemeralEvent(event) || seq === last) return;
      const text = books.get(driver.session)?.texts[seq - 1];
      if (text === undefined) fail(6, `${driver.name} shows event ${seq}, which is not kept`);
      else if (text !== JSON.stringify(event))
        fail(6, `${driver.name} shows another event ${seq} than the one kept`);
      if (seq !== last + 1) fail(12, `${driver.name} shows event ${seq} after ${last}`);
    },
    readOn(id, after, { seq, event }) {
      if (seq !== after + 1) fail(12, `a reader of ${id} gets event ${seq} after ${after}`);
      if (books.get(id)?.texts[seq - 1] !== JSON.stringify(event))
        fail(12, `a reader of ${id} gets another event ${seq}`);
    },
  };
}

type DriverRequest = { readonly driver: SessionDriver; readonly request: ModelRequest };

function checkModelRequest(
  { fail }: SimOracleContext,
  book: SessionLedger,
  { driver, request }: DriverRequest,
): void {
  const turn: TurnState = getUnpausedTurn(book.session.turn);
  if (turn.status !== 'callingModel') {
    return fail(6, `${driver.name} asks the model; by what is kept, ${book.id} is ${turn.status}`);
  }
  const difference = findFirstDifference(turn.conversation, request.conversation, 'conversation');
  if (difference !== null) fail(6, `${driver.name} sends the model what is not kept: ${difference}`);
  const key = `${book.fence} ${turn.request}`;
  if (book.asked.has(key))
    fail(13, `${driver.name} asks the model twice for request ${turn.request} of ${book.id}`);
  book.asked.add(key);
}
