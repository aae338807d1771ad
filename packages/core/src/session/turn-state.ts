import type { ConversationHistory } from '../conversation/conversation.ts';
import type { ToolCall, ConversationMessage, ToolOutcome } from '../conversation/message.ts';
import type { ModelError } from './event.ts';
import type { Json, Verdict } from '@pawl/governor';

/*
 * The turn state says what the session is waiting for.
 *
 * waitingForUser      A user message. Every session starts and every turn ends here.
 * callingModel        The model. `streaming` after the first delta; `finish` on a last call without tools.
 * processingResponse  (transient) Processes the reply: calls to run, permissions to ask for, or the end of the turn.
 * awaitingPermission  A person's decision on each call that needs permission.
 * executingTools      Tools. Each execution goes pending → running → completed.
 * postToolsHook       Hooks that run after tools that changed something.
 * progressCheck       (transient) Checks progress and processes the agenda.
 * phaseTransition     (transient) One phase of a long task ends and the next starts.
 * errorRecovery       A retry (origin model or io), or a way out of a stuck state (origin tool).
 * paging              Paging to make room.
 * paused              A resume request. Answers are still applied; no new work starts.
 * halted              A user message, unless the session was halted on request: `haltReason` says why it has stopped.
 * shuttingDown        Nothing: the caller releases the session.
 *
 * Each state carries exactly the data it needs, including the conversation, so that state and history cannot disagree.
 */
export type TurnStatus =
  | 'waitingForUser'
  | 'callingModel'
  | 'processingResponse'
  | 'awaitingPermission'
  | 'executingTools'
  | 'postToolsHook'
  | 'progressCheck'
  | 'phaseTransition'
  | 'errorRecovery'
  | 'paging'
  | 'paused'
  | 'halted'
  | 'shuttingDown';

type TurnBase<Status extends TurnStatus> = {
  readonly status: Status;
  readonly since: number;
  readonly conversation: ConversationHistory<ConversationMessage>;
};

/** Requests that arrived while work was in progress, processed at the next progress check. */
export type TurnAgenda = {
  /** Number of phase changes to report as `phaseTransition`. The phases themselves have already changed. */
  readonly phaseChanges: number;
  readonly failedPhase: number | null;
  readonly verdict: Verdict | null;
  readonly finish: FinishRequest | null;
  /** Pending steering messages, in order. Absent when there are none, as in logs written before steering existed. */
  readonly steering?: readonly string[];
};

/** A last model call without tools, and what ends with its answer. */
export type FinishRequest = {
  readonly reason: string;
  readonly ends: 'turn' | 'session';
  readonly rule: string | null;
  /** When the answer is due; null until the model is called. */
  readonly deadline: number | null;
};

/** The purpose of a model call, preserved across retries and paging. */
export type ModelCallIntent = {
  readonly advice: string | null;
  readonly finish: FinishRequest | null;
  readonly agenda: TurnAgenda;
};

/** The purpose of a hook run, preserved across retries. */
export type HookWork = {
  readonly completed: readonly CompletedTool[];
  readonly next: NextAfterTools;
  readonly agenda: TurnAgenda;
};

/** The purpose of a paging run. `asking` says whether a model call is waiting for room and must be made afterwards. */
export type PagingWork = {
  readonly reason: string;
  readonly asking: boolean;
  readonly ask: ModelCallIntent;
  readonly modelRetries: number;
};

/** What follows the tools: another model call, or the end of the turn. */
export type NextAfterTools = 'ask-model' | 'end-turn';

export type CallExecution =
  | { readonly status: 'pending'; readonly call: ToolCall }
  /** `startedAt` is null if only an ephemeral progress report indicates that the call runs. */
  | {
      readonly status: 'running';
      readonly call: ToolCall;
      readonly startedAt: number | null;
      readonly progress: string | null;
      /** The intent the tool reported when it started. */
      readonly intent?: Json;
    }
  | { readonly status: 'completed'; readonly call: ToolCall; readonly outcome: ToolOutcome };

/** A call with its permission decision; `denied` already holds the outcome for the model. */
export type PermissionCall =
  | { readonly decision: 'pending' | 'allowed'; readonly call: ToolCall }
  | { readonly decision: 'denied'; readonly call: ToolCall; readonly outcome: ToolOutcome };

export type HaltReason = {
  readonly kind: 'requested' | 'stuck' | 'budget' | 'phase-failed';
  readonly reason: string;
  readonly rule: string | null;
};

export type WaitingForUser = TurnBase<'waitingForUser'>;

export type CallingModel = TurnBase<'callingModel'> & {
  readonly request: number;
  readonly retries: number;
  readonly streaming: boolean;
  readonly ask: ModelCallIntent;
};

export type AwaitingPermission = TurnBase<'awaitingPermission'> & {
  readonly request: number;
  readonly calls: readonly PermissionCall[];
  readonly agenda: TurnAgenda;
};

export type ExecutingTools = TurnBase<'executingTools'> & {
  readonly request: number;
  readonly executions: readonly CallExecution[];
  readonly agenda: TurnAgenda;
};

export type PostToolsHook = TurnBase<'postToolsHook'> & {
  readonly request: number;
  readonly retries: number;
  readonly work: HookWork;
};

export type PagingTurn = TurnBase<'paging'> & {
  readonly request: number;
  readonly retries: number;
  readonly work: PagingWork;
};

/** The model call failed and is retried at `retryAt`. */
export type ModelRecovery = TurnBase<'errorRecovery'> & {
  readonly origin: 'model';
  readonly request: number;
  readonly retries: number;
  readonly retryAt: number;
  readonly error: ModelError;
  readonly ask: ModelCallIntent;
};

/** A verdict requested recovery, and the caller looks for a way out. */
export type ToolRecovery = TurnBase<'errorRecovery'> & {
  readonly origin: 'tool';
  readonly request: number;
  readonly attempt: number;
  readonly verdict: Verdict;
  readonly agenda: TurnAgenda;
};

/** Hooks or paging failed and are retried at `retryAt`. */
export type IoRecovery = TurnBase<'errorRecovery'> & {
  readonly origin: 'io';
  readonly request: number;
  readonly retries: number;
  readonly retryAt: number;
  readonly message: string;
  readonly work:
    | { readonly kind: 'hooks'; readonly hooks: HookWork }
    | { readonly kind: 'paging'; readonly paging: PagingWork };
};

export type ErrorRecovery = ModelRecovery | ToolRecovery | IoRecovery;

/** A state that can be paused and resumed. */
export type PausableTurn =
  | WaitingForUser
  | CallingModel
  | AwaitingPermission
  | ExecutingTools
  | PostToolsHook
  | ErrorRecovery
  | PagingTurn;

/** A paused session; its conversation is that of the held state. */
export type PausedTurn = {
  readonly status: 'paused';
  readonly since: number;
  readonly reason: string;
  readonly held: PausableTurn;
};

export type HaltedTurn = TurnBase<'halted'> & { readonly haltReason: HaltReason };

export type ShuttingDown = TurnBase<'shuttingDown'>;

export type TurnState = PausableTurn | PausedTurn | HaltedTurn | ShuttingDown;

/** The outcome of one tool call; hooks use it to decide whether they have anything to do. */
export type CompletedTool = { readonly callId: string; readonly tool: string; readonly ok: boolean };
