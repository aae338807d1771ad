import {
  conversationOf,
  step,
  toArray,
  unpaused,
  type Event,
  type Execution,
  type Outcome,
  type Session,
} from '@pawl/core';
import type { Driver } from '../world.ts';

/** What the oracle knows of one call of the model. */
export type CallRecord = {
  readonly mark: string;
  readonly callId: string;
  readonly tool: string;
  readonly args: string;
  readonly permission: string;
  /** What was kept of the user's answer. */
  decided: 'allow' | 'deny' | null;
  /** The arguments the user was shown for that answer. */
  shown: string | null;
  /** How many starts are on record. */
  intents: number;
  outcome: Outcome | null;
  /** The step at which its result was told. */
  settledAt: number;
};

/** What the oracle knows of one session, from nothing but what was really kept. */
export type Book = {
  readonly id: string;
  /** What the kept events lead to. */
  session: Session;
  readonly texts: string[];
  /** What was kept last in one go. */
  together: readonly Event['type'][];
  fence: number;
  driver: Driver;
  readonly calls: Map<string, CallRecord>;
  /** The calls of the last reply, by id. */
  open: Map<string, CallRecord>;
  /** How many messages of the conversation have been looked at. */
  messages: number;
  /** Replies since the user spoke, and how often the user did. */
  replies: number;
  turns: number;
  /** What the user said, and how often it was kept. */
  readonly heard: Map<string, number>;
  /** Room was made, so that not all that was said is in the conversation any more. */
  shortened: boolean;
  /** The requests for which the model was asked, each under one claim. */
  readonly asked: Set<string>;
  /** The events for which there was no room, until they are kept or somebody else claims the session. */
  waiting: { readonly fence: number; readonly text: string } | null;
};

export function openBook(session: Session, driver: Driver, fence: number): Book {
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

/** Takes an event down; gives the calls that got their result by it. */
export function enter(book: Book, event: Event, text: string): readonly CallRecord[] {
  const before = book.session;
  takeNote(book, event);
  book.session = step(before, event).session;
  book.texts.push(text);
  return conversationOf(before) === conversationOf(book.session) ? [] : readMessages(book);
}

function takeNote(book: Book, event: Event): void {
  switch (event.type) {
    case 'user-message':
      beginTurn(book);
      return hear(book, event.text);
    case 'steered':
      // Said to one who waits, it begins a turn as any other message does.
      if (book.session.turn.status === 'waitingForUser') beginTurn(book);
      return hear(book, event.text);
    case 'model-replied':
      book.replies += 1;
      return;
    case 'permission-decided': {
      const record = book.open.get(event.callId);
      if (record !== undefined) record.decided = event.decision;
      return;
    }
    case 'tool-started': {
      const record = recordOf(book, executionOf(book.session, event.callId)?.call.args);
      if (record !== undefined) record.intents += 1;
      return;
    }
    case 'paging-finished':
      book.shortened = true;
      return;
    default:
  }
}

function beginTurn(book: Book): void {
  book.turns += 1;
  book.replies = 0;
}

function hear(book: Book, text: string): void {
  book.heard.set(text, (book.heard.get(text) ?? 0) + 1);
}

function executionOf({ turn }: Session, callId: string): Execution | undefined {
  const held = unpaused(turn);
  if (held.status !== 'executingTools') return undefined;
  return held.executions.find(({ call }) => call.id === callId);
}

function recordOf(book: Book, args: unknown): CallRecord | undefined {
  return book.calls.get(markOf(args));
}

/** Every call carries a mark of its own in its arguments. */
export function markOf(args: unknown): string {
  const isObject = typeof args === 'object' && args !== null;
  const mark: unknown = isObject && 'mark' in args ? args.mark : null;
  return typeof mark === 'string' ? mark : '';
}

function permissionIn(args: unknown): string {
  const isObject = typeof args === 'object' && args !== null;
  return isObject && 'permission' in args ? String(args.permission) : 'allow';
}

function readMessages(book: Book): readonly CallRecord[] {
  const messages = toArray(conversationOf(book.session));
  const settled: CallRecord[] = [];
  for (const message of messages.slice(book.messages)) {
    if (message.role === 'assistant') {
      book.open = new Map(message.calls.map(({ id, tool, args }) => [id, note(book, { id, tool, args })]));
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

function note(book: Book, { id, tool, args }: { id: string; tool: string; args: unknown }): CallRecord {
  const record: CallRecord = {
    mark: markOf(args),
    callId: id,
    tool,
    args: JSON.stringify(args),
    permission: permissionIn(args),
    decided: null,
    shown: null,
    intents: 0,
    outcome: null,
    settledAt: -1,
  };
  book.calls.set(record.mark, record);
  return record;
}
