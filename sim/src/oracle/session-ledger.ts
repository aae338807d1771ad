import {
  getConversation,
  step,
  getUnpausedTurn,
  type Event,
  type CallExecution,
  type ToolOutcome,
  type Session,
  toItemArray,
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
  decision: 'allow' | 'deny' | null;
  /** The arguments that the user was shown for that decision. */
  shownArgs: string | null;
  /** Number of persisted starts. */
  startCount: number;
  outcome: ToolOutcome | null;
  /** The step at which the result was reported. */
  resultStep: number;
};

/** The oracle's knowledge of one session, derived only from persisted data. */
export type SessionLedger = {
  readonly id: string;
  /** The state that the persisted events produce. */
  session: Session;
  readonly texts: string[];
  /** The event types of the last append. */
  lastAppendTypes: readonly Event['type'][];
  fence: number;
  driver: SessionDriver;
  readonly calls: Map<string, OracleCallRecord>;
  /** The calls of the last reply, by id. */
  openCalls: Map<string, OracleCallRecord>;
  /** Number of messages already processed. */
  messageCount: number;
  /** Number of replies since the last user message, and number of user turns. */
  replies: number;
  turns: number;
  /** User messages, and how often each was persisted. */
  readonly userTexts: Map<string, number>;
  /** The conversation was compacted, so it no longer contains every message. */
  isCompacted: boolean;
  /** Model requests that were sent, by fence and request number. */
  readonly requests: Set<string>;
  /** Events rejected for lack of space, until they are persisted or another driver claims the session. */
  rejected: { readonly fence: number; readonly text: string } | null;
};

export function createSessionLedger(session: Session, driver: SessionDriver, fence: number): SessionLedger {
  return {
    id: session.id,
    session,
    texts: [],
    lastAppendTypes: [],
    fence,
    driver,
    calls: new Map(),
    openCalls: new Map(),
    messageCount: 0,
    replies: 0,
    turns: 0,
    userTexts: new Map(),
    isCompacted: false,
    requests: new Set(),
    rejected: null,
  };
}

/** Records an event and returns the calls that got their result from it. */
export function recordEvent(ledger: SessionLedger, event: Event, text: string): readonly OracleCallRecord[] {
  const before = ledger.session;
  applyEventToLedger(ledger, event);
  ledger.session = step(before, event).session;
  ledger.texts.push(text);
  return getConversation(before) === getConversation(ledger.session) ? [] : readNewResults(ledger);
}

function applyEventToLedger(ledger: SessionLedger, event: Event): void {
  switch (event.type) {
    case 'user-message':
      startLedgerTurn(ledger);
      return countUserText(ledger, event.text);
    case 'steered':
      // Steering of a waiting session starts a turn like any other message.
      if (ledger.session.turn.status === 'waitingForUser') startLedgerTurn(ledger);
      return countUserText(ledger, event.text);
    case 'model-replied':
      ledger.replies += 1;
      return;
    case 'permission-decided': {
      const record = ledger.openCalls.get(event.callId);
      if (record !== undefined) record.decision = event.decision;
      return;
    }
    case 'tool-started': {
      const record = findCallRecord(ledger, findRunningExecution(ledger.session, event.callId)?.call.args);
      if (record !== undefined) record.startCount += 1;
      return;
    }
    case 'paging-finished':
      ledger.isCompacted = true;
      return;
    default:
  }
}

function startLedgerTurn(ledger: SessionLedger): void {
  ledger.turns += 1;
  ledger.replies = 0;
}

function countUserText(ledger: SessionLedger, text: string): void {
  ledger.userTexts.set(text, (ledger.userTexts.get(text) ?? 0) + 1);
}

function findRunningExecution({ turn }: Session, callId: string): CallExecution | undefined {
  const unpaused = getUnpausedTurn(turn);
  if (unpaused.status !== 'executingTools') return undefined;
  return unpaused.executions.find(({ call }) => call.id === callId);
}

function findCallRecord(ledger: SessionLedger, args: unknown): OracleCallRecord | undefined {
  return ledger.calls.get(getCallMark(args));
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

function readNewResults(ledger: SessionLedger): readonly OracleCallRecord[] {
  const messages = toItemArray(getConversation(ledger.session));
  const finished: OracleCallRecord[] = [];
  for (const message of messages.slice(ledger.messageCount)) {
    if (message.role === 'assistant') {
      ledger.openCalls = new Map(
        message.calls.map(({ id, tool, args }) => [id, addCallRecord(ledger, { id, tool, args })]),
      );
    }
    if (message.role === 'tool') {
      const record = ledger.openCalls.get(message.callId);
      if (record === undefined) continue;
      record.outcome = message.outcome;
      finished.push(record);
    }
  }
  ledger.messageCount = messages.length;
  return finished;
}

function addCallRecord(
  ledger: SessionLedger,
  { id, tool, args }: { id: string; tool: string; args: unknown },
): OracleCallRecord {
  const record: OracleCallRecord = {
    mark: getCallMark(args),
    callId: id,
    tool,
    args: JSON.stringify(args),
    permission: getRequestedPermission(args),
    decision: null,
    shownArgs: null,
    startCount: 0,
    outcome: null,
    resultStep: -1,
  };
  ledger.calls.set(record.mark, record);
  return record;
}
