import { conversationOf, durableView, isEphemeral, toArray, type Event, type Session } from '@pawl/core';
import type { OpenedSession, Position } from '@pawl/runtime';
import type { Driver } from '../world.ts';
import { enter, type Book } from './book.ts';
import type { CallChecks } from './call-checks.ts';
import { firstDifference } from './difference.ts';
import type { Appended, Known } from './oracle.ts';
import type { WatchChecks } from './watch-checks.ts';

/** What is kept, by whom, and whether it is the same wherever one looks. */
export type LogChecks = {
  claimed(driver: Driver, id: string, position: Position): void;
  appended(driver: Driver, appended: Appended): void;
  foundNoRoom(driver: Driver, at: Position, texts: readonly string[]): void;
  opened(id: string, opened: OpenedSession): void;
  /** Somebody was told that what the user said is kept. */
  acknowledged(id: string, text: string): void;
  /** At the end of a run: whatever the user said has reached the conversation. */
  checkSaid(): void;
  /** Compares a session with what was kept of it, word by word. */
  compare(id: string, session: Session, what: string): void;
};

export function logChecks(known: Known, calls: CallChecks & WatchChecks): LogChecks {
  const { books, fail, trace } = known;
  const compare = (id: string, session: Session, what: string): void => {
    const book = books.get(id);
    if (book === undefined) return;
    const difference = firstDifference(durableView(book.session), durableView(session));
    if (difference !== null)
      fail(8, `${what} of ${id} is not what its ${book.texts.length} events lead to: ${difference}`);
  };
  return {
    compare,
    claimed(driver, id, { fence, head }) {
      trace.add(`claimed ${id} ${fence}`);
      const book = books.get(id);
      if (book === undefined) return fail(5, `${id} was claimed before it was created`);
      if (fence <= book.fence)
        fail(5, `the claim of ${driver.name} on ${id} has fence ${fence} after ${book.fence}`);
      if (head !== book.texts.length) fail(8, `${id} was claimed at event ${head} of ${book.texts.length}`);
      book.fence = Math.max(fence, book.fence);
      book.driver = driver;
      book.waiting = null;
    },
    appended(driver, appended) {
      const book = books.get(driver.session);
      if (book === undefined) return fail(5, `${driver.session} was added to before it was created`);
      checkWriter(known, book, { driver, appended });
      for (const [index, event] of appended.events.entries())
        takeDown(known, calls, { driver, book, event, text: appended.texts[index] ?? '' });
      book.together = appended.events.map(({ type }) => type);
      if (book.session.seq !== book.texts.length)
        fail(
          5,
          `event ${book.texts.length} of ${book.id} means nothing where it stands: ${book.texts.at(-1)}`,
        );
      checkBudget(known, book);
      compare(book.id, appended.after, `the live session of ${driver.name}`);
    },
    foundNoRoom(driver, { fence }, texts) {
      const book = books.get(driver.session);
      if (book === undefined || fence !== book.fence) return;
      const text = together(texts);
      if (book.waiting !== null && book.waiting.text !== text)
        fail(14, `${driver.name} tries ${text} while ${book.waiting.text} is not kept`);
      book.waiting = { fence, text };
    },
    opened(id, { session, head, fence }) {
      const book = books.get(id);
      if (book === undefined) return;
      if (head !== book.texts.length) fail(8, `${id} was opened at event ${head} of ${book.texts.length}`);
      if (fence !== book.fence) fail(5, `${id} was opened under fence ${fence}, not ${book.fence}`);
      compare(id, session, 'the opened session');
    },
    checkSaid() {
      for (const book of books.values()) checkHeard(known, book);
    },
    acknowledged(id, text) {
      if (!books.get(id)?.heard.has(text))
        fail(7, `${JSON.stringify(text)} was acknowledged and is not in ${id}`);
    },
  };
}

type Entry = { readonly driver: Driver; readonly book: Book; readonly event: Event; readonly text: string };

function takeDown(
  { counts, fail, trace }: Known,
  calls: CallChecks & WatchChecks,
  { driver, book, event, text }: Entry,
): void {
  trace.add(text);
  counts.events += 1;
  if (isEphemeral(event)) fail(17, `${event.type} of ${book.id} was kept`);
  if (event.type === 'permission-decided') calls.decided(driver, book, event);
  if (event.type === 'model-replied') calls.replyKept(event.text);
  const settled = enter(book, event, text);
  if ('text' in event && (book.heard.get(event.text) ?? 0) > 1)
    fail(7, `${book.id} has ${JSON.stringify(event.text)} twice`);
  for (const record of settled) calls.settled(book, record, event);
}

/** Whatever was kept of what the user said is in the conversation, unless that was made shorter. */
function checkHeard({ fail }: Known, { id, session, heard, shortened }: Book): void {
  const messages = toArray(conversationOf(session));
  const said = new Set(messages.map((message) => (message.role === 'user' ? message.text : null)));
  for (const text of shortened ? [] : heard.keys())
    if (!said.has(text))
      fail(7, `${JSON.stringify(text)} was kept and never got into the conversation of ${id}`);
}

function checkWriter(
  { fail }: Known,
  book: Book,
  { driver, appended: { at, position, texts } }: { readonly driver: Driver; readonly appended: Appended },
): void {
  if (at.fence !== book.fence || book.driver !== driver)
    fail(
      5,
      `${driver.name} added to ${book.id} under fence ${at.fence}; ${book.driver.name} has ${book.fence}`,
    );
  if (at.head !== book.texts.length)
    fail(5, `${driver.name} added to ${book.id} after event ${at.head} of ${book.texts.length}`);
  if (position.head !== book.texts.length + texts.length)
    fail(5, `${book.id} stands at ${position.head} after ${book.texts.length} and ${texts.length} more`);
  const { waiting } = book;
  if (waiting !== null && waiting.text !== together(texts))
    fail(14, `${driver.name} kept ${together(texts)} before ${waiting.text}`);
  book.waiting = null;
}

/** What found no room together is tried again together. */
function together(texts: readonly string[]): string {
  return texts.join(' and ');
}

function checkBudget({ fail }: Known, { id, session: { settings, spent } }: Book): void {
  const limit = settings.budgets?.modelCalls ?? null;
  if (limit !== null && spent.modelCalls > limit)
    fail(13, `${id} has spent ${spent.modelCalls} of ${limit} model calls`);
}
