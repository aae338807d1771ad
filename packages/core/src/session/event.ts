import type { FileEffect, Json, RequestedCall, Verdict } from '@pawl/governor';
import type { ToolOutcome } from '../conversation/message.ts';
import type { MemoryCommand } from '../memory/apply-memory-action.ts';
import type { StoredEntry } from '../memory/memory.ts';

/**
 * An event is something that happened, and the only input to a session.
 * `at` is its time in milliseconds; the machine reads no clock of its own.
 *
 * Answers to an action carry that action's `request` number. An answer with a different number belongs to canceled work
 * and is refused; an answer without a number applies to the current work.
 */
type EventBase<Type extends string> = { readonly type: Type; readonly at: number };
type AnswerEvent<Type extends string> = EventBase<Type> & { readonly request?: number };

export type { RequestedCall };

/** Tokens used by a reply. `cost` is in the currency of the budget; omit it if prices are unknown. */
export type TokenUsage = {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cost?: number;
};

export type ModelErrorKind =
  | 'auth'
  | 'rate-limit'
  | 'overloaded'
  | 'context-overflow'
  | 'bad-request'
  | 'network'
  | 'refused'
  | 'truncated'
  | 'timeout'
  | 'repetition-loop'
  | 'unknown';

/** `retryable` defaults to true. */
export type ModelError = {
  readonly kind: ModelErrorKind;
  readonly message: string;
  readonly retryable?: boolean;
  readonly retryAfterMs?: number;
};

/**
 * `automatic` marks a message that no person wrote, such as a harness prompt to continue; the task stays the same, so
 * the governor is not reset.
 */
export type UserMessageReceived = EventBase<'user-message'> & {
  readonly text: string;
  readonly automatic?: boolean;
};
/**
 * A user message sent while work is in progress: the work continues, and the model sees the message on its next call.
 * While waiting for the user it is treated as an ordinary message.
 */
export type UserSteered = EventBase<'steered'> & { readonly text: string };
export type TextDelta = AnswerEvent<'text-delta'> & { readonly text: string };
export type CallDelta = AnswerEvent<'call-delta'> & {
  readonly callId: string;
  readonly tool: string;
  readonly fragment: string;
};
/**
 * `nextState` is the mode the model requests and `logs` are its log entries, if the profile has modes and logs.
 * `problem` says why the reply could not be parsed: nothing in it is executed, and the model receives the problem.
 */
/** What a reply means for the turn: a thought continues it, an answer ends it. */
export type ReplyKind = 'thought' | 'action' | 'answer' | 'unreadable';
/** `kind` is absent if the sender leaves the decision to the session; see `getReplyKind`. */
export type ModelReplied = AnswerEvent<'model-replied'> & {
  readonly kind?: ReplyKind;
  readonly text: string;
  readonly calls: readonly RequestedCall[];
  readonly usage?: TokenUsage;
  readonly nextState?: string;
  readonly logs?: { readonly think?: string; readonly evaluation?: string };
  readonly problem?: string;
};
/** `jitter` (0 to 1) spreads retries; the caller draws it so that the machine stays deterministic. */
export type ModelFailed = AnswerEvent<'model-failed'> & {
  readonly error: ModelError;
  readonly jitter?: number;
};
export type PermissionDecided = AnswerEvent<'permission-decided'> & {
  readonly callId: string;
  readonly decision: 'allow' | 'deny';
  readonly reason?: string;
};
/** `intent` describes what the tool is about to do, so that a tool can check later whether it was done. */
export type ToolStarted = AnswerEvent<'tool-started'> & { readonly callId: string; readonly intent?: Json };
export type ToolProgressed = AnswerEvent<'tool-progressed'> & {
  readonly callId: string;
  readonly progress: string;
};
/**
 * The result of a tool call. Tools may also report the `files` they changed with their new contents, the `tests` they
 * ran, and the stored entries they found.
 */
export type ToolFinished = AnswerEvent<'tool-finished'> & {
  readonly callId: string;
  readonly outcome: ToolOutcome;
  readonly files?: readonly FileEffect[];
  readonly tests?: { readonly passed: number; readonly failed: number };
  /** Whether the caller judged the output itself: its text then does not overrule `ok`. */
  readonly judged?: boolean;
  readonly foundEntries?: readonly StoredEntry[];
};
export type HooksFinished = AnswerEvent<'hooks-finished'> & { readonly actionTaken: boolean };
export type HooksFailed = AnswerEvent<'hooks-failed'> & {
  readonly message: string;
  readonly jitter?: number;
};
export type RetryDue = AnswerEvent<'retry-due'>;
export type RecoveryFinished = AnswerEvent<'recovery-finished'> & { readonly outcome: RecoveryOutcome };
export type PagingRequested = EventBase<'paging-requested'> & { readonly reason: string };
/**
 * `heldTokens` is the token count before paging, if known. `summaries` are the model's summaries of the compacted
 * content, and `usage` is their cost.
 */
export type PagingFinished = AnswerEvent<'paging-finished'> & {
  readonly freedTokens: number;
  readonly heldTokens?: number;
  readonly summaries?: PagingSummaries;
  readonly usage?: TokenUsage;
};
export type PagingSummaries = { readonly conversation?: string; readonly memory?: string };
export type PagingFailed = AnswerEvent<'paging-failed'> & {
  readonly message: string;
  readonly jitter?: number;
};
/** A user command on one working-memory entry; `key` is its full key. */
export type MemoryCommandRequested = EventBase<'memory-command-requested'> & {
  readonly action: MemoryCommand;
  readonly key: string;
};
export type PhaseStarted = EventBase<'phase-started'> & {
  readonly number: number;
  readonly description: string;
  readonly expectedMs?: number;
  /** Total number of phases, if planned in advance; without it the previous total remains. */
  readonly total?: number;
  /** User message that starts the phase; accepted only while waiting for the user. */
  readonly message?: string;
};
/** `summary` describes the result of the phase, and `blockers` what prevented it. */
export type PhaseCompleted = EventBase<'phase-completed'> & {
  readonly success: boolean;
  readonly summary?: string;
  readonly blockers?: readonly string[];
};
export type VerdictReached = EventBase<'verdict-reached'> & { readonly verdict: Verdict };
export type FinishRequested = EventBase<'finish-requested'> & { readonly reason: string };
export type PauseRequested = EventBase<'pause-requested'> & { readonly reason: string };
export type ResumeRequested = EventBase<'resume-requested'>;
/** `partial` is what the canceled work had produced and would otherwise be lost. */
export type CancelRequested = EventBase<'cancel-requested'> & {
  readonly reason?: string;
  readonly partial?: PartialOutput;
};

export type PartialOutput = {
  /** The text of the reply to a request, as far as it was received. */
  readonly reply?: { readonly request: number; readonly text: string };
  /** The output of running calls so far, by the id of the call. */
  readonly outputs?: { readonly [callId: string]: string };
};
export type HaltRequested = EventBase<'halt-requested'> & { readonly reason: string };
export type ShutdownRequested = EventBase<'shutdown-requested'>;

/** Returns the token usage of a model reply or summary, if the event reports it. */
export function getEventUsage(event: Event): TokenUsage | undefined {
  return event.type === 'model-replied' || event.type === 'paging-finished' ? event.usage : undefined;
}

/** How recovery from a stuck verdict ended, which decides how the turn continues. */
export type RecoveryOutcome =
  | { readonly kind: 'ask-model'; readonly advice?: string }
  | { readonly kind: 'run-tools'; readonly calls: readonly RequestedCall[] }
  | { readonly kind: 'check' }
  | { readonly kind: 'give-up'; readonly reason: string }
  | { readonly kind: 'halt'; readonly reason: string };

export type Event =
  | UserMessageReceived
  | UserSteered
  | TextDelta
  | CallDelta
  | ModelReplied
  | ModelFailed
  | PermissionDecided
  | ToolStarted
  | ToolProgressed
  | ToolFinished
  | HooksFinished
  | HooksFailed
  | RetryDue
  | RecoveryFinished
  | PagingRequested
  | PagingFinished
  | PagingFailed
  | MemoryCommandRequested
  | PhaseStarted
  | PhaseCompleted
  | VerdictReached
  | FinishRequested
  | PauseRequested
  | ResumeRequested
  | CancelRequested
  | HaltRequested
  | ShutdownRequested;

export type EventType = Event['type'];

/** The events of one type. */
export type EventOfType<Type extends EventType> = Extract<Event, { readonly type: Type }>;

/** Every event type, in the order of the union above; the compiler checks that none is missing. */
export const eventTypes: readonly EventType[] = Object.keys({
  'user-message': 0,
  steered: 0,
  'text-delta': 0,
  'call-delta': 0,
  'model-replied': 0,
  'model-failed': 0,
  'permission-decided': 0,
  'tool-started': 0,
  'tool-progressed': 0,
  'tool-finished': 0,
  'hooks-finished': 0,
  'hooks-failed': 0,
  'retry-due': 0,
  'recovery-finished': 0,
  'paging-requested': 0,
  'paging-finished': 0,
  'paging-failed': 0,
  'memory-command-requested': 0,
  'phase-started': 0,
  'phase-completed': 0,
  'verdict-reached': 0,
  'finish-requested': 0,
  'pause-requested': 0,
  'resume-requested': 0,
  'cancel-requested': 0,
  'halt-requested': 0,
  'shutdown-requested': 0,
} satisfies Record<EventType, 0>) as EventType[];

/** Ephemeral events are for display only and are never stored: removing them from a log changes no durable state. */
export function isEphemeralEvent(event: Event): boolean {
  return event.type === 'text-delta' || event.type === 'call-delta' || event.type === 'tool-progressed';
}

/**
 * Reduces events to their content, so that equivalent runs compare equal: drops timestamps and retry jitter, and
 * replaces provider-assigned call ids with the call's number in the log.
 */
export function createEventNormalizer(): (event: Event) => unknown {
  const numbers = new Map<string, number>();
  let count = 0;
  return (event) => {
    const { at: _, ...rest } = event;
    if (event.type === 'model-replied') {
      const calls = event.calls.map(({ id, ...call }) => {
        count += 1;
        if (id !== undefined) numbers.set(id, count);
        return call;
      });
      return { ...rest, calls };
    }
    const { jitter: __, ...content } = { jitter: 0, ...rest };
    return 'callId' in event ? { ...content, callId: numbers.get(event.callId) ?? event.callId } : content;
  };
}
