import type { Call, CompletedTool, TurnStatus } from '@pawl/core';
import type { Decision } from '../work.ts';

/** A command of the user's. It is told what happened as one JSON object on its standard input. */
export type HookCommand = {
  readonly command: readonly [string, ...string[]];
  /** How long it may take; ten seconds unless said otherwise. */
  readonly timeoutMs?: number;
};

/** Something the embedder wrote. The time it may take is limited as well. */
type HookFunction<News, Answer> = {
  readonly run: (news: News, signal: AbortSignal) => Answer | Promise<Answer>;
  readonly timeoutMs?: number;
};

/** Which tools a hook is for, by name; all of them if left out. */
type ForTools = { readonly tools?: readonly string[] };

/**
 * Looks at a call before it runs, and may deny it. A command lets it pass with exit code 0; any other denies it, and the
 * first line the command wrote says why. A hook that fails denies: nothing runs that was to be looked at and was not.
 */
export type BeforeToolHook = ForTools & (HookCommand | HookFunction<Call, Decision>);

/** Runs after tools that changed something; answers whether it did anything. A command that exits with 0 did. */
export type AfterToolsHook = ForTools & (HookCommand | HookFunction<readonly CompletedTool[], boolean>);

/** Runs when a turn has come to its end. */
export type FinishHook = HookCommand | HookFunction<Finished, void>;

export type Finished = {
  readonly session: string;
  readonly status: Extract<TurnStatus, 'waitingForUser' | 'halted' | 'shuttingDown'>;
  /** How long the conversation is by now. */
  readonly messages: number;
  readonly answer: string | null;
  /** Why it was halted; null if it was not. */
  readonly reason: string | null;
};

/** What a command reads: `{"hook":"before-tool","workspace":"…","call":{…}}` and the like. */
export type Told =
  | { readonly hook: 'before-tool'; readonly workspace: string; readonly call: Call }
  | {
      readonly hook: 'after-tools';
      readonly workspace: string;
      readonly completed: readonly CompletedTool[];
    }
  | { readonly hook: 'finish'; readonly workspace: string; readonly finished: Finished };
