import { isEphemeral, toArray, unpaused, type Turn } from '@pawl/core';
import type { KeptEvent, ModelRequest, Seen } from '@pawl/runtime';
import type { Driver } from '../world.ts';
import type { Book } from './book.ts';
import { firstDifference } from './difference.ts';
import { historyProblem } from './history.ts';
import type { Known } from './oracle.ts';

/** What models and those who watch get to see. */
export type WatchChecks = {
  asked(driver: Driver, request: ModelRequest): void;
  /** The model has said all of a reply; what it says in it is said nowhere else. */
  replied(text: string): void;
  /** A reply is kept. */
  replyKept(text: string): void;
  /** Somebody begins to watch an agent whose session stands at this event. */
  watching(driver: Driver, seq: number): void;
  observed(driver: Driver, seen: Seen): void;
  /** A reader of the log goes on after the event it saw last. */
  readOn(id: string, after: number, kept: KeptEvent): void;
};

export function watchChecks(known: Known): WatchChecks {
  const { books, fail, counts } = known;
  const lastSeen = new Map<Driver, number>();
  const replies = new Set<string>();
  return {
    asked(driver, request) {
      counts.requests += 1;
      const problem = historyProblem(toArray(request.conversation));
      if (problem !== null) fail(9, `what ${driver.name} sends the model is not valid: ${problem}`);
      const book = books.get(driver.session);
      if (book === undefined) return fail(6, `${driver.name} asks the model before there is a session`);
      // Whom the session was taken from does not know yet. What it sends was kept; it will find out when it adds to it.
      if (book.driver === driver) checkRequest(known, book, { driver, request });
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
      // What the machine does not take is shown, and changes nothing.
      if (isEphemeral(event) || seq === last) return;
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

type Asking = { readonly driver: Driver; readonly request: ModelRequest };

function checkRequest({ fail }: Known, book: Book, { driver, request }: Asking): void {
  const turn: Turn = unpaused(book.session.turn);
  if (turn.status !== 'callingModel') {
    return fail(6, `${driver.name} asks the model; by what is kept, ${book.id} is ${turn.status}`);
  }
  const difference = firstDifference(turn.conversation, request.conversation, 'conversation');
  if (difference !== null) fail(6, `${driver.name} sends the model what is not kept: ${difference}`);
  const key = `${book.fence} ${turn.request}`;
  if (book.asked.has(key))
    fail(13, `${driver.name} asks the model twice for request ${turn.request} of ${book.id}`);
  book.asked.add(key);
}
