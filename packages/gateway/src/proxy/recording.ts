import { randomUUID } from 'node:crypto';
import {
  createSession,
  isTerminalSession,
  step,
  getStepOutcome,
  type Event,
  type Json,
  type Session,
  type Verdict,
} from '@pawl/core';
import { getProcessOwner, type LogPosition, type Store } from '@pawl/runtime/store';
import type { JsonFields } from '../json-fields.ts';
import { fingerprintMessage, parseMessageTurns, type ConversationTurn } from './conversation-turns.ts';
import type { ProviderTokenUsage } from './wire-format.ts';
import { setImmediate } from 'node:timers/promises';

/**
 * A conversation recorded as a session, so that it can be viewed like any other. It only documents traffic: its
 * verdicts are the proxy's, and its actions are never executed.
 */
export type ConversationRecording = {
  /** The fingerprints of the recorded messages. */
  readonly fingerprints: readonly string[];
  /** The stored session; null while nothing is stored. */
  readonly stored: { readonly session: Session; readonly position: LogPosition } | null;
};

export type ConversationUpdate = {
  readonly messages: readonly JsonFields[];
  readonly usages: ReadonlyMap<string, ProviderTokenUsage>;
  /** The governor's verdict on the last round. */
  readonly verdict: Verdict | null;
  readonly at: number;
};

export const emptyRecording: ConversationRecording = { fingerprints: [], stored: null };

/** Records the new messages. If they do not continue the recording, it stays unchanged and a new one starts. */
export async function recordConversation(
  store: Store,
  before: ConversationRecording,
  { messages, usages, verdict, at }: ConversationUpdate,
  metadata: Json,
): Promise<ConversationRecording> {
  const fingerprints = messages.map(fingerprintMessage);
  const from = findFirstNewMessage(before.fingerprints, fingerprints);
  const newMessages = messages.slice(from);
  if (newMessages.length === 0) return before;
  const stored = from === 0 || isRecordingClosed(before) ? null : before.stored;
  const session = stored?.session ?? createRecordedSession(at);
  const { events, after } = buildRecordedEvents(session, { messages: newMessages, usages, verdict, at });
  if (events.length === 0) return { fingerprints, stored };
  const position =
    stored?.position ?? (await store.create(session, getProcessOwner(), { metadata, createdAt: at }));
  const next = await store.append(session.id, position, events, after);
  return { fingerprints, stored: { session: after, position: next } };
}

/**
 * Returns the index of the first new message: after the known ones, or, if some of those were rewritten, after the last
 * known one. Returns 0 for a different conversation.
 */
function findFirstNewMessage(known: readonly string[], fingerprints: readonly string[]): number {
  if (known.every((mark, index) => mark === fingerprints[index])) return known.length;
  const last = known.at(-1);
  return last === undefined ? 0 : fingerprints.lastIndexOf(last) + 1;
}

function isRecordingClosed({ stored }: ConversationRecording): boolean {
  return stored !== null && isTerminalSession(stored.session);
}

/** The proxy judges the conversation, so the session's governor is off and its actions are not executed. */
function createRecordedSession(at: number): Session {
  return createSession({
    id: randomUUID(),
    at,
    settings: {
      governor: { preset: 'none', rules: {} },
      mutatingTools: [],
      finishMs: null,
      pageOnOverflow: false,
    },
  });
}

function buildRecordedEvents(
  initial: Session,
  { messages, usages, verdict, at }: ConversationUpdate,
): { events: Event[]; after: Session } {
  const events: Event[] = [];
  let after = initial;
  const applyEvent = (event: Event): void => {
    const outcome = step(after, event);
    if (!getStepOutcome(outcome).ok) return;
    after = outcome.session;
    events.push(event);
  };
  const turns = messages.flatMap((message) => {
    const usage = usages.get(fingerprintMessage(message));
    return parseMessageTurns(message).map((turn) => ({ turn, usage }));
  });
  const last = turns.findLastIndex(({ turn }) => turn.kind === 'result');
  for (const [index, { turn, usage }] of turns.entries()) {
    // Insert the verdict before the last result of the round, while the turn is still open.
    if (verdict !== null && index === last) applyEvent({ type: 'verdict-reached', at, verdict });
    for (const event of generateTurnEvents(after, turn, usage, at)) applyEvent(event);
  }
  return { events, after };
}

function* generateTurnEvents(
  session: Session,
  turn: ConversationTurn,
  usage: ProviderTokenUsage | undefined,
  at: number,
): Generator<Event> {
  const { status } = session.turn;
  if (turn.kind === 'result') {
    const { id, output, failed } = turn;
    const message = typeof output === 'string' ? output : JSON.stringify(output);
    yield {
      type: 'tool-finished',
      at,
      callId: id,
      outcome: failed ? { ok: false, error: { kind: 'failed', message } } : { ok: true, output },
    };
    return;
  }
  if (status === 'executingTools') yield* cancelOpenCalls(session, at);
  if (turn.kind === 'user') {
    yield status === 'waitingForUser'
      ? { type: 'user-message', at, text: turn.text }
      : { type: 'steered', at, text: turn.text };
    return;
  }
  if (status === 'waitingForUser') yield { type: 'user-message', at, text: '', automatic: true };
  yield {
    type: 'model-replied',
    at,
    text: turn.text,
    calls: turn.calls.map(({ id, ...call }) => (id === '' ? call : { id, ...call })),
    ...(usage !== undefined && {
      usage: { inputTokens: usage.input_tokens, outputTokens: usage.output_tokens },
    }),
  };
}

/** Cancels calls that the conversation continued without. */
function* cancelOpenCalls({ turn }: Session, at: number): Generator<Event> {
  if (turn.status !== 'executingTools') return;
  for (const { status, call } of turn.executions) {
    if (status === 'completed') continue;
    const error = {
      kind: 'cancelled',
      message: 'The conversation continued without a result for this call.',
    } as const;
    yield { type: 'tool-finished', at, callId: call.id, outcome: { ok: false, error } };
  }
}

export type ConversationRecorder = {
  /** Records what is new in a conversation. A failure is reported once and blocks nothing. */
  record(conversation: ProxyConversation, update: ConversationUpdate, model: string): void;
  /** Resolves when everything is recorded. */
  waitUntilIdle(): Promise<void>;
};

export type ConversationRecorderOptions = {
  readonly store: Store;
  /** Metadata stored with every session. */
  readonly metadata: { readonly [name: string]: Json };
  readonly onError: (message: string) => void;
};

export function createConversationRecorder({
  store,
  metadata,
  onError,
}: ConversationRecorderOptions): ConversationRecorder {
  let queue = Promise.resolve();
  let hasFailed = false;
  return {
    record(conversation, update, model) {
      // Sequential, because each update continues the recording that the previous one left.
      queue = queue.then(async () => {
        if (hasFailed) return;
        // Let the request go first, because it must not wait for the recording.
        await setImmediate();
        try {
          const before = conversation.recording ?? emptyRecording;
          conversation.recording = await recordConversation(store, before, update, { ...metadata, model });
        } catch (error) {
          hasFailed = true;
          const reason = error instanceof Error ? error.message : String(error);
          onError(`Recording stopped; later conversations are not recorded: ${reason}`);
        }
      });
    },
    waitUntilIdle: () => queue,
  };
}

/** A conversation through the proxy. Its token usage is known only while the proxy runs. */
export type ProxyConversation = {
  readonly key: string;
  /** Token usage by reply fingerprint. */
  readonly usages: Map<string, ProviderTokenUsage>;
  recording: ConversationRecording | null;
  /** Whether the governor has ended it and no user message has followed. */
  isClosed: boolean;
};
