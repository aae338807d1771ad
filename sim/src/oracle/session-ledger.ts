import {
  getConversation,
  step,
  toItemArray,
  getUnpausedTurn,
  type Event,
  type CallExecution,
  type ToolOutcome,
  type Session,
} from '@pawl/core';
import type { SessionDriver } from '../sim-world.ts';

/** What the oracle knows about one tool call. */
export type OracleCallRecord = {
  readonly mark: string;
  readonly callId: string;
  readonly tool: string;
  readonly args: string;
  readonly permission: string;
  /** The user's persisted decision. */
  decided: 'allow' | 'deny' | null;
  /** The arguments that the user was shown for that decision. */
  shown: string | null;
  /** Number of persisted starts. */
  intents: number;
  outcome: ToolOutcome | null;
  /** The step at which the result was reported. */
  settledAt: number;
};

/** The oracle's knowledge of one session, derived only from persisted data. */
export type SessionLedger = {
  readonly id: string;
  /** The state that the persisted events produce. */
  session: Session;
  readonly texts: string[];
  /** The event types of the last append. */
  together: readonly Event['type'][];
  fence: number;
  driver: SessionDriver;
  readonly calls: Map<string, OracleCallRecord>;
  /** The calls of the last reply, by id. */
  open: Map<string, OracleCallRecord>;
  /** Number of messages already processed. */
  messages: number;
  /** Number of replies since the last user message, and number of user turns. */
  replies: number;
  turns: number;
  /** User messages, and how often each was persisted. */
  readonly heard: Map<string, number>;
  /** The conversation was compacted, so it no longer contains every message. */
  shortened: boolean;
  /** Model requests that were sent, by fence and request number. */
  readonly asked: Set<string>;
  /** Events rejected for lack of space, until they are persisted or another driver claims the session. */
  waiting: { readonly fence: number; readonly text: string } | null;
};

export function createSessionLedger(session: Session, driver: SessionDriver, fence: number): SessionLedger {
  return {
    id: session.id,
    session,
    texts: [],
    together: [],
    fence,
    driver,
    calls: new Map(),
    open: new Map(),
    messages: 0,
    replies: 0,
    turns: 0,
    heard: new Map(),
    shortened: false,
    asked: new Set(),
    waiting: null,
  };
}

/** Records an event and returns the calls that got their result from it. */
export function recordEvent(book: SessionLedger, event: Event, text: string): readonly OracleCallRecord[] {
  const before = book.session;
  applyEventToLedger(book, event);
  book.session = step(before, event).session;
  book.texts.push(text);
  return getConversation(before) === getConversation(book.session) ? [] : readNewResults(book);
}

function applyEventToLedger(book: SessionLedger, event: Event): void {
  switch (event.type) {
    case 'user-message':
      startLedgerTurn(book);
      return countUserText(book, event.text);
    case 'steered':
      // Steering of a waiting session starts a turn like any other message.
      if (book.session.turn.status === 'waitingForUser') startLedgerTurn(book);
      return countUserText(book, event.text);
    case 'model-replied':
      book.replies += 1;
      return;
    case 'permission-decided': {
      const record = book.open.get(event.callId);
      if (record !== undefined) record.decided = event.decision;
      return;
    }
    case 'tool-started': {
      const record = findCallRecord(book, findRunningExecution(book.session, event.callId)?.call.args);
      if (record !== undefined) record.intents += 1;
      return;
    }
    case 'paging-finished':
      book.shortened = true;
      return;
    default:
  }
}

function startLedgerTurn(book: SessionLedger): void {
  book.turns += 1;
  book.replies = 0;
}

function countUserText(book: SessionLedger, text: string): void {
  book.heard.set(text, (book.heard.get(text) ?? 0) + 1);
}

function findRunningExecution({ turn }: Session, callId: string): CallExecution | undefined {
  const held = getUnpausedTurn(turn);
  if (held.status !== 'executingTools') return undefined;
  return held.executions.find(({ call }) => call.id === callId);
}

function findCallRecord(book: SessionLedger, args: unknown): OracleCallRecord | undefined {
  return book.calls.get(getCallMark(args));
}

/** Every tool call carries a unique mark in its arguments. */
export function getCallMark(args: unknown): string {
  const isObject = typeof args === 'object' && args !== null;
  const mark: unknown = isObject && 'mark' in args ? args.mark : null;
  return typeof mark === 'string' ? mark : '';
}

function getRequestedPermission(args: unknown): string {
  const isObject = typeof args === 'object' && args !== null;
  return isObject && 'permission' in args ? String(args.permission) : 'allow';
}

function readNewResults(book: SessionLedger): readonly OracleCallRecord[] {
  const messages = toItemArray(getConversation(book.session));
  const settled: OracleCallRecord[] = [];
  for (const message of messages.slice(book.messages)) {
    if (message.role === 'assistant') {
      book.open = new Map(
        message.calls.map(({ id, tool, args }) => [id, addCallRecord(book, { id, tool, args })]),
      );
    }
    if (message.role === 'tool') {
      const record = book.open.get(message.callId);
      if (record === undefined) continue;
      record.outcome = message.outcome;
      settled.push(record);
    }
  }
  book.messages = messages.length;
  return settled;
}

function addCallRecord(
  book: SessionLedger,
  { id, tool, args }: { id: string; tool: string; args: unknown },
): OracleCallRecord {
  const record: OracleCallRecord = {
    mark: getCallMark(args),
    callId: id,
    tool,
    args: JSON.stringify(args),
    permission: getRequestedPermission(args),
    decided: null,
    shown: null,
    intents: 0,
    outcome: null,
    settledAt: -1,
  };
  book.calls.set(record.mark, record);
  return record;
}
