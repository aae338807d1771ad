import type { ToolCall, CompletedTool, TurnStatus } from '@pawl/core';
import type { PermissionDecision } from '../ports/agent-ports.ts';

/** A user's command. It receives the payload as one JSON object on standard input. */
export type HookCommand = {
  readonly command: readonly [string, ...string[]];
  /** Timeout; ten seconds by default. */
  readonly timeoutMs?: number;
};

/** A hook function provided by the embedding application. */
type HookFunction<Payload, Answer> = {
  readonly run: (payload: Payload, signal: AbortSignal) => Answer | Promise<Answer>;
  readonly timeoutMs?: number;
};

/** Names of the tools a hook applies to; all tools if omitted. */
type ToolFilter = { readonly tools?: readonly string[] };

/**
 * Checks a call before it runs and may deny it. A command allows the call with exit code 0; any other code denies it,
 * and the first line of its output is the reason. Fail closed: a hook that fails denies the call.
 */
export type BeforeToolHook = ToolFilter & (HookCommand | HookFunction<ToolCall, PermissionDecision>);

/**
 * Runs after tools that changed something; returns whether it took action. For a command, exit code 0 means yes.
 */
export type AfterToolsHook = ToolFilter & (HookCommand | HookFunction<readonly CompletedTool[], boolean>);

/** Runs at the end of a turn. */
export type FinishHook = HookCommand | HookFunction<FinishedTurn, void>;

export type FinishedTurn = {
  readonly session: string;
  readonly status: Extract<TurnStatus, 'waitingForUser' | 'halted' | 'shuttingDown'>;
  /** Length of the conversation. */
  readonly messages: number;
  readonly answer: string | null;
  /** Why the session was halted; null if it was not. */
  readonly reason: string | null;
};

/** Standard input of a hook command, such as `{"hook":"before-tool","workspace":"…","call":{…}}`. */
export type HookPayload =
  | { readonly hook: 'before-tool'; readonly workspace: string; readonly call: ToolCall }
  | {
      readonly hook: 'after-tools';
      readonly workspace: string;
      readonly completed: readonly CompletedTool[];
    }
  | { readonly hook: 'finish'; readonly workspace: string; readonly finished: FinishedTurn };
