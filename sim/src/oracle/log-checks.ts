import {
  getConversation,
  toDurableSession,
  isEphemeralEvent,
  toItemArray,
  type Event,
  type Session,
} from '@pawl/core';
import type { OpenedSession, LogPosition } from '@pawl/runtime';
import type { SessionDriver } from '../sim-world.ts';
import { recordEvent, type SessionLedger } from './session-ledger.ts';
import type { CallChecks } from './call-checks.ts';
import { findFirstDifference } from './difference.ts';
import type { AppendRecord, SimOracleContext } from './oracle.ts';
import type { ObserverChecks } from './observer-checks.ts';

/** Checks on the log: which driver persisted which events, and whether all views of the log agree. */
export type LogChecks = {
  claimed(driver: SessionDriver, id: string, position: LogPosition): void;
  appended(driver: SessionDriver, appended: AppendRecord): void;
  foundNoRoom(driver: SessionDriver, at: LogPosition, texts: readonly string[]): void;
  opened(id: string, opened: OpenedSession): void;
  /** A user message was acknowledged as persisted. */
  acknowledged(id: string, text: string): void;
  /** Checks at the end of a run that every persisted user message reached the conversation. */
  checkSaid(): void;
  /** Compares a session with the state that its persisted events produce. */
  compare(id: string, session: Session, what: string): void;
};

export function createLogChecks(known: SimOracleContext, calls: CallChecks & ObserverChecks): LogChecks {
  const { books, fail, trace } = known;
  const compare = (id: string, session: Session, what: string): void => {
    const book = books.get(id);
    if (book === undefined) return;
    const difference = findFirstDifference(toDurableSession(book.session), toDurableSession(session));
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
      checkLogWriter(known, book, { driver, appended });
      for (const [index, event] of appended.events.entries())
        checkAppendedEvent(known, calls, { driver, book, event, text: appended.texts[index] ?? '' });
      book.together = appended.events.map(({ type }) => type);
      if (book.session.seq !== book.texts.length)
        fail(
          5,
          `event ${book.texts.length} of ${book.id} means nothing where it stands: ${book.texts.at(-1)}`,
        );
      checkModelBudget(known, book);
      compare(book.id, appended.after, `the live session of ${driver.name}`);
    },
    foundNoRoom(driver, { fence }, texts) {
      const book = books.get(driver.session);
      if (book === undefined || fence !== book.fence) return;
      const text = joinEventTexts(texts);
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
      for (const book of books.values()) checkUserTexts(known, book);
    },
    acknowledged(id, text) {
      if (!books.get(id)?.heard.has(text))
        fail(7, `${JSON.stringify(text)} was acknowledged and is not in ${id}`);
    },
  };
}

type AppendedEvent = {
  readonly driver: SessionDriver;
  readonly book: SessionLedger;
  readonly event: Event;
  readonly text: string;
};

function checkAppendedEvent(
  { counts, fail, trace }: SimOracleContext,
  calls: CallChecks & ObserverChecks,
  { driver, book, event, text }: AppendedEvent,
): void {
  trace.add(text);
  counts.events += 1;
  if (isEphemeralEvent(event)) fail(17, `${event.type} of ${book.id} was kept`);
  if (event.type === 'permission-decided') calls.decided(driver, book, event);
  if (event.type === 'model-replied') calls.replyKept(event.text);
  const settled = recordEvent(book, event, text);
  if ('text' in event && (book.heard.get(event.text) ?? 0) > 1)
    fail(7, `${book.id} has ${JSON.stringify(event.text)} twice`);
  for (const record of settled) calls.settled(book, record, event);
}

/** Every persisted user message must be in the conversation, unless the conversation was compacted. */
function checkUserTexts({ fail }: SimOracleContext, { id, session, heard, shortened }: SessionLedger): void {
  const messages = toItemArray(getConversation(session));
  const said = new Set(messages.map((message) => (message.role === 'user' ? message.text : null)));
  for (const text of shortened ? [] : heard.keys())
    if (!said.has(text))
      fail(7, `${JSON.stringify(text)} was kept and never got into the conversation of ${id}`);
}

function checkLogWriter(
  { fail }: SimOracleContext,
  book: SessionLedger,
  {
    driver,
    appended: { at, position, texts },
  }: { readonly driver: SessionDriver; readonly appended: AppendRecord },
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
  if (waiting !== null && waiting.text !== joinEventTexts(texts))
    fail(14, `${driver.name} kept ${joinEventTexts(texts)} before ${waiting.text}`);
  book.waiting = null;
}

/** Events that did not fit together must be retried together. */
function joinEventTexts(texts: readonly string[]): string {
  return texts.join(' and ');
}

function checkModelBudget(
  { fail }: SimOracleContext,
  { id, session: { settings, spent } }: SessionLedger,
): void {
  const limit = settings.budgets?.modelCalls ?? null;
  if (limit !== null && spent.modelCalls > limit)
    fail(13, `${id} has spent ${spent.modelCalls} of ${limit} model calls`);
}
