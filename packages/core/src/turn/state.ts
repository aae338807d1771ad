import type { CompletedTool } from '../action.ts';
import type { Conversation } from '../conversation/conversation.ts';
import type { Call, Message, Outcome } from '../conversation/message.ts';
import type { ModelError } from '../event.ts';
import type { Json } from '../json.ts';
import type { Verdict } from '../governor/verdict.ts';

/*
 * The turn answers one question: what are we waiting for right now?
 *
 * waitingForUser      for a message. Where every session starts and every turn ends.
 * callingModel        for the model. `streaming` once the first delta arrived; `finish` on a last call without tools.
 * processingResponse  (passed through) the reply is looked at: calls to run, permission to ask, or the end of the turn.
 * awaitingPermission  for a person to decide on each call that needs it.
 * executingTools      for tools. Each execution goes pending → running → completed.
 * postToolsHook       for what runs after tools that changed something.
 * progressCheck       (passed through) is the work moving? The agenda is worked off here.
 * phaseTransition     (passed through) one phase of a long task ends, the next begins.
 * errorRecovery       for a retry to fall due (origin model or io), or for a way out of a stuck state (origin tool).
 * paging              for memory to make room.
 * paused              for permission to go on. Answers still come in and are kept; no new work starts.
 * halted              for nothing: ended for good, and `why`.
 * shuttingDown        for nothing: the caller lets go of the session.
 *
 * Each state carries exactly what it needs. The conversation is part of it, so no state can disagree with its history.
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

type In<Status extends TurnStatus> = {
  readonly status: Status;
  readonly since: number;
  readonly conversation: Conversation<Message>;
};

/** What was asked for while work was under way, to be done at the next progress check. */
export type Agenda = {
  /** Changes of phase to pass through `phaseTransition` for. The phases themselves have changed already. */
  readonly phaseChanges: number;
  readonly failedPhase: number | null;
  readonly verdict: Verdict | null;
  readonly finish: Finish | null;
  /** What a person said meanwhile, in order. Absent when nothing was said, as it is in logs that do not know of it. */
  readonly said?: readonly string[];
};

/** A last call without tools, and what ends when it is answered. */
export type Finish = {
  readonly reason: string;
  readonly ends: 'turn' | 'session';
  readonly rule: string | null;
  /** When the answer is due; null until it is asked for. */
  readonly deadline: number | null;
};

/** What a model call is for, kept while it is retried or waits for room. */
export type Ask = {
  readonly advice: string | null;
  readonly finish: Finish | null;
  readonly agenda: Agenda;
};

/** What hooks are run for, kept while they are retried. */
export type HookWork = {
  readonly completed: readonly CompletedTool[];
  readonly next: AfterTools;
  readonly agenda: Agenda;
};

/** What paging is for. `asking` says whether a model call found no room and is to be made again. */
export type PagingWork = {
  readonly reason: string;
  readonly asking: boolean;
  readonly ask: Ask;
  readonly modelRetries: number;
};

/** What comes after the tools: another model call, or the end of the turn. */
export type AfterTools = 'ask-model' | 'end-turn';

export type Execution =
  | { readonly status: 'pending'; readonly call: Call }
  /** `startedAt` is null when only an ephemeral progress report says that it runs. */
  | {
      readonly status: 'running';
      readonly call: Call;
      readonly startedAt: number | null;
      readonly progress: string | null;
      /** What the tool said it was about to do. */
      readonly intent?: Json;
    }
  | { readonly status: 'completed'; readonly call: Call; readonly outcome: Outcome };

/** A call on its way to a decision; `denied` already holds what the model will be told. */
export type PermissionCall =
  | { readonly decision: 'pending' | 'allowed'; readonly call: Call }
  | { readonly decision: 'denied'; readonly call: Call; readonly outcome: Outcome };

export type HaltReason = {
  readonly kind: 'requested' | 'stuck' | 'budget' | 'phase-failed';
  readonly reason: string;
  readonly rule: string | null;
};

export type WaitingForUser = In<'waitingForUser'>;

export type CallingModel = In<'callingModel'> & {
  readonly request: number;
  readonly retries: number;
  readonly streaming: boolean;
  readonly ask: Ask;
};

export type AwaitingPermission = In<'awaitingPermission'> & {
  readonly request: number;
  readonly calls: readonly PermissionCall[];
  readonly agenda: Agenda;
};

export type ExecutingTools = In<'executingTools'> & {
  readonly request: number;
  readonly executions: readonly Execution[];
  readonly agenda: Agenda;
};

export type PostToolsHook = In<'postToolsHook'> & {
  readonly request: number;
  readonly retries: number;
  readonly work: HookWork;
};

export type Paging = In<'paging'> & {
  readonly request: number;
  readonly retries: number;
  readonly work: PagingWork;
};

/** The model failed and may be asked again. */
export type ModelRecovery = In<'errorRecovery'> & {
  readonly origin: 'model';
  readonly request: number;
  readonly retries: number;
  readonly retryAt: number;
  readonly error: ModelError;
  readonly ask: Ask;
};

/** A verdict asked for recovery; the caller looks for a way out. */
export type ToolRecovery = In<'errorRecovery'> & {
  readonly origin: 'tool';
  readonly request: number;
  readonly attempt: number;
  readonly verdict: Verdict;
  readonly agenda: Agenda;
};

/** Hooks or paging failed and are tried again. */
export type IoRecovery = In<'errorRecovery'> & {
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
export type Held =
  | WaitingForUser
  | CallingModel
  | AwaitingPermission
  | ExecutingTools
  | PostToolsHook
  | ErrorRecovery
  | Paging;

/** The conversation is that of the state held. */
export type Paused = {
  readonly status: 'paused';
  readonly since: number;
  readonly reason: string;
  readonly held: Held;
};

export type Halted = In<'halted'> & { readonly why: HaltReason };

export type ShuttingDown = In<'shuttingDown'>;

export type Turn = Held | Paused | Halted | ShuttingDown;
