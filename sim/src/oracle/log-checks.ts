import {
  getConversation,
  toDurableSession,
  isEphemeralEvent,
  type Event,
  type Session,
  toItemArray,
} from '@pawl/core';
import type { OpenedSession, LogPosition } from '@pawl/runtime/store';
import type { SessionDriver } from '../sim-world.ts';
import { recordEvent, type SessionLedger } from './session-ledger.ts';
import type { CallChecks } from './call-checks.ts';
import { findFirstDifference } from './difference.ts';
import type { AppendRecord, SimOracleContext } from './oracle.ts';
import type { ObserverChecks } from './observer-checks.ts';

/** Checks on the log: which driver persisted which events, and whether all views of the log agree. */
export type LogChecks = {
  onClaimed(driver: SessionDriver, id: string, position: LogPosition): void;
  onAppended(driver: SessionDriver, appended: AppendRecord): void;
  onStoreFull(driver: SessionDriver, at: LogPosition, texts: readonly string[]): void;
  onOpened(id: string, opened: OpenedSession): void;
  /** A user message was acknowledged as persisted. */
  onAcknowledged(id: string, text: string): void;
  /** Checks at the end of a run that every persisted user message reached the conversation. */
  checkUserMessages(): void;
  /** Compares a session with the state that its persisted events produce. */
  compare(id: string, session: Session, what: string): void;
};

export function createLogChecks(context: SimOracleContext, calls: CallChecks & ObserverChecks): LogChecks {
  const { ledgers, fail, trace } = context;
  const compare = (id: string, session: Session, what: string): void => {
    const ledger = ledgers.get(id);
    if (ledger === undefined) return;
    const difference = findFirstDifference(toDurableSession(ledger.session), toDurableSession(session));
    if (difference !== null)
      fail(8, `${what} of ${id} is not what its ${ledger.texts.length} events lead to: ${difference}`);
  };
  return {
    compare,
    onClaimed(driver, id, { fence, head }) {
      trace.add(`claimed ${id} ${fence}`);
      const ledger = ledgers.get(id);
      if (ledger === undefined) return fail(5, `${id} was claimed before it was created`);
      if (fence <= ledger.fence)
        fail(5, `the claim of ${driver.name} on ${id} has fence ${fence} after ${ledger.fence}`);
      if (head !== ledger.texts.length)
        fail(8, `${id} was claimed at event ${head} of ${ledger.texts.length}`);
      ledger.fence = Math.max(fence, ledger.fence);
      ledger.driver = driver;
      ledger.rejected = null;
    },
    onAppended(driver, appended) {
      const ledger = ledgers.get(driver.session);
      if (ledger === undefined) return fail(5, `${driver.session} was added to before it was created`);
      checkLogWriter(context, ledger, { driver, appended });
      for (const [index, event] of appended.events.entries())
        checkAppendedEvent(context, calls, { driver, ledger, event, text: appended.texts[index] ?? '' });
      ledger.lastAppendTypes = appended.events.map(({ type }) => type);
      if (ledger.session.seq !== ledger.texts.length)
        fail(
          5,
          `event ${ledger.texts.length} of ${ledger.id} means nothing where it stands: ${ledger.texts.at(-1)}`,
        );
      checkModelBudget(context, ledger);
      compare(ledger.id, appended.after, `the live session of ${driver.name}`);
    },
    onStoreFull(driver, { fence }, texts) {
      const ledger = ledgers.get(driver.session);
      if (ledger === undefined || fence !== ledger.fence) return;
      const text = joinEventTexts(texts);
      if (ledger.rejected !== null && ledger.rejected.text !== text)
        fail(14, `${driver.name} tries ${text} while ${ledger.rejected.text} is not persisted`);
      ledger.rejected = { fence, text };
    },
    onOpened(id, { session, head, fence }) {
      const ledger = ledgers.get(id);
      if (ledger === undefined) return;
      if (head !== ledger.texts.length)
        fail(8, `${id} was opened at event ${head} of ${ledger.texts.length}`);
      if (fence !== ledger.fence) fail(5, `${id} was opened under fence ${fence}, not ${ledger.fence}`);
      compare(id, session, 'the opened session');
    },
    checkUserMessages() {
      for (const ledger of ledgers.values()) checkUserTexts(context, ledger);
    },
    onAcknowledged(id, text) {
      if (!ledgers.get(id)?.userTexts.has(text))
        fail(7, `${JSON.stringify(text)} was acknowledged and is not in ${id}`);
    },
  };
}

type AppendedEvent = {
  readonly driver: SessionDriver;
  readonly ledger: SessionLedger;
  readonly event: Event;
  readonly text: string;
};

function checkAppendedEvent(
  { counts, fail, trace }: SimOracleContext,
  calls: CallChecks & ObserverChecks,
  { driver, ledger, event, text }: AppendedEvent,
): void {
  trace.add(text);
  counts.events += 1;
  if (isEphemeralEvent(event)) fail(17, `${event.type} of ${ledger.id} was persisted`);
  if (event.type === 'permission-decided') calls.onDecided(driver, ledger, event);
  if (event.type === 'model-replied') calls.onReplyPersisted(event.text);
  const settled = recordEvent(ledger, event, text);
  if ('text' in event && (ledger.userTexts.get(event.text) ?? 0) > 1)
    fail(7, `${ledger.id} has ${JSON.stringify(event.text)} twice`);
  for (const record of settled) calls.onResult(ledger, record, event);
}

/** Every persisted user message must be in the conversation, unless the conversation was compacted. */
function checkUserTexts(
  { fail }: SimOracleContext,
  { id, session, userTexts, isCompacted }: SessionLedger,
): void {
  const messages = toItemArray(getConversation(session));
  const deliveredTexts = new Set(messages.map((message) => (message.role === 'user' ? message.text : null)));
  for (const text of isCompacted ? [] : userTexts.keys())
    if (!deliveredTexts.has(text))
      fail(7, `${JSON.stringify(text)} was persisted and never got into the conversation of ${id}`);
}

function checkLogWriter(
  { fail }: SimOracleContext,
  ledger: SessionLedger,
  {
    driver,
    appended: { at, position, texts },
  }: { readonly driver: SessionDriver; readonly appended: AppendRecord },
): void {
  if (at.fence !== ledger.fence || ledger.driver !== driver)
    fail(
      5,
      `${driver.name} added to ${ledger.id} under fence ${at.fence}; ${ledger.driver.name} has ${ledger.fence}`,
    );
  if (at.head !== ledger.texts.length)
    fail(5, `${driver.name} added to ${ledger.id} after event ${at.head} of ${ledger.texts.length}`);
  if (position.head !== ledger.texts.length + texts.length)
    fail(5, `${ledger.id} stands at ${position.head} after ${ledger.texts.length} and ${texts.length} more`);
  const { rejected } = ledger;
  if (rejected !== null && rejected.text !== joinEventTexts(texts))
    fail(14, `${driver.name} persisted ${joinEventTexts(texts)} before ${rejected.text}`);
  ledger.rejected = null;
}

/** Events that did not fit together must be retried together. */
function joinEventTexts(texts: readonly string[]): string {
  return texts.join(' and ');
}

function checkModelBudget(
  { fail }: SimOracleContext,
  { id, session: { settings, budgetUsage } }: SessionLedger,
): void {
  const limit = settings.budgets?.modelCalls ?? null;
  if (limit !== null && budgetUsage.modelCalls > limit)
    fail(13, `${id} has spent ${budgetUsage.modelCalls} of ${limit} model calls`);
}
