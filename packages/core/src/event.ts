import type { Json } from './json.ts';
import type { Outcome } from './conversation/message.ts';
import type { FileEffect } from './governor/change.ts';
import type { Verdict } from './governor/verdict.ts';
import type { MemoryWish } from './memory/wish.ts';
import type { StoredEntry } from './memory/storage-entry.ts';

/**
 * An event is something that happened: the only way anything gets into a session.
 * `at` is when, in milliseconds; the machine reads no clock of its own.
 *
 * Answers to an action carry that action's `request` number. An answer with another number belongs to work that was
 * called off and is refused; an answer without one is taken as meant for the work at hand.
 */
type Base<Type extends string> = { readonly type: Type; readonly at: number };
type Answer<Type extends string> = Base<Type> & { readonly request?: number };

/**
 * A tool call as a model asks for it. `permission` is what the caller's rules say, and `because` why they deny it; without
 * one the call is allowed.
 */
export type RequestedCall = {
  readonly id?: string;
  readonly tool: string;
  readonly args: Json;
  readonly permission?: 'allow' | 'ask' | 'deny';
  readonly because?: string;
};

/** What a reply took. `cost` is in whatever money the budget is in, for those who know the prices. */
export type Usage = {
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
  | 'chanting'
  | 'unknown';

/** `retryable` is true unless said otherwise. */
export type ModelError = {
  readonly kind: ModelErrorKind;
  readonly message: string;
  readonly retryable?: boolean;
  readonly retryAfterMs?: number;
};

/** `automatic` is for what no person said, such as a harness that says to go on: the work is still the same work. */
export type UserMessageReceived = Base<'user-message'> & {
  readonly text: string;
  readonly automatic?: boolean;
};
/**
 * What a person says while work is under way: the work goes on, and the model hears it when it is asked next. While waiting
 * for the user it is a message like any other.
 */
export type Steered = Base<'steered'> & { readonly text: string };
export type TextDelta = Answer<'text-delta'> & { readonly text: string };
export type CallDelta = Answer<'call-delta'> & {
  readonly callId: string;
  readonly tool: string;
  readonly fragment: string;
};
/**
 * `nextState` is the mode the model asks for, and `logs` what it wants written down, where the profile has such things.
 * `problem` says why the reply cannot be understood: nothing of it is carried out, and the model is told.
 */
export type ModelReplied = Answer<'model-replied'> & {
  readonly text: string;
  readonly calls: readonly RequestedCall[];
  readonly usage?: Usage;
  readonly nextState?: string;
  readonly logs?: { readonly think?: string; readonly evaluation?: string };
  readonly problem?: string;
};
/** `jitter`, from 0 to 1, spreads retries; the caller draws it, so that the machine stays deterministic. */
export type ModelFailed = Answer<'model-failed'> & { readonly error: ModelError; readonly jitter?: number };
export type PermissionDecided = Answer<'permission-decided'> & {
  readonly callId: string;
  readonly decision: 'allow' | 'deny';
  readonly reason?: string;
};
/** `intent` is what the tool is about to do, for one that can tell later whether it was done. */
export type ToolStarted = Answer<'tool-started'> & { readonly callId: string; readonly intent?: Json };
export type ToolProgressed = Answer<'tool-progressed'> & {
  readonly callId: string;
  readonly progress: string;
};
/**
 * What came of a call, for tools that know: `files` it changed, with what they hold now; `tests` it ran; what it `found` in
 * storage.
 */
export type ToolFinished = Answer<'tool-finished'> & {
  readonly callId: string;
  readonly outcome: Outcome;
  readonly files?: readonly FileEffect[];
  readonly tests?: { readonly passed: number; readonly failed: number };
  readonly found?: readonly StoredEntry[];
};
export type HooksFinished = Answer<'hooks-finished'> & { readonly actionTaken: boolean };
export type HooksFailed = Answer<'hooks-failed'> & { readonly message: string; readonly jitter?: number };
export type RetryDue = Answer<'retry-due'>;
export type RecoveryFinished = Answer<'recovery-finished'> & { readonly outcome: RecoveryOutcome };
export type PagingRequested = Base<'paging-requested'> & { readonly reason: string };
/**
 * `heldTokens` is what there was before, for those who know. `summaries` are a model's words about what went on the shelf,
 * and `usage` what they have cost.
 */
export type PagingFinished = Answer<'paging-finished'> & {
  readonly freedTokens: number;
  readonly heldTokens?: number;
  readonly summaries?: Summaries;
  readonly usage?: Usage;
};
export type Summaries = { readonly conversation?: string; readonly memory?: string };
export type PagingFailed = Answer<'paging-failed'> & { readonly message: string; readonly jitter?: number };
/** What a person asks of one entry of working memory; `key` is the whole key of it. */
export type MemoryAsked = Base<'memory-asked'> & { readonly action: MemoryWish; readonly key: string };
export type PhaseStarted = Base<'phase-started'> & {
  readonly number: number;
  readonly description: string;
  readonly expectedMs?: number;
  /** How many phases there will be, for whoever plans ahead; without it what was known stays. */
  readonly total?: number;
  /** What to say to the model to begin the phase; only taken while waiting for the user. */
  readonly message?: string;
};
/** `summary` is what came of the phase, and `blockers` what stood in its way, for those who can say. */
export type PhaseCompleted = Base<'phase-completed'> & {
  readonly success: boolean;
  readonly summary?: string;
  readonly blockers?: readonly string[];
};
export type VerdictReached = Base<'verdict-reached'> & { readonly verdict: Verdict };
export type FinishRequested = Base<'finish-requested'> & { readonly reason: string };
export type PauseRequested = Base<'pause-requested'> & { readonly reason: string };
export type ResumeRequested = Base<'resume-requested'>;
export type CancelRequested = Base<'cancel-requested'> & { readonly reason?: string };
export type HaltRequested = Base<'halt-requested'> & { readonly reason: string };
export type ShutdownRequested = Base<'shutdown-requested'>;

/** What a model was asked for and has cost, be it a reply or a summary. */
export function usageOf(event: Event): Usage | undefined {
  return event.type === 'model-replied' || event.type === 'paging-finished' ? event.usage : undefined;
}

/** How a recovery from a stuck verdict ended, and so where to go on. */
export type RecoveryOutcome =
  | { readonly kind: 'ask-model'; readonly advice?: string }
  | { readonly kind: 'run-tools'; readonly calls: readonly RequestedCall[] }
  | { readonly kind: 'check' }
  | { readonly kind: 'give-up'; readonly reason: string }
  | { readonly kind: 'halt'; readonly reason: string };

export type Event =
  | UserMessageReceived
  | Steered
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
  | MemoryAsked
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

/** Every event type, in the order of the union above. The compiler checks that none is missing. */
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
  'memory-asked': 0,
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

/**
 * Ephemeral events are for showing, never for storing: leaving all of them out of a log changes nothing durable.
 */
export function isEphemeral(event: Event): boolean {
  return event.type === 'text-delta' || event.type === 'call-delta' || event.type === 'tool-progressed';
}
