import type { ToolCall, ConversationMessage } from '../conversation/message.ts';
import type { ConversationHistory } from '../conversation/conversation.ts';
import type { ModelErrorKind } from './event.ts';
import type { Verdict } from '@pawl/governor';
import type { StoredEntry } from '../memory/memory.ts';
import type { CompletedTool, HaltReason } from './turn-state.ts';

/**
 * An action is work the caller must perform: the machine decides what, the caller decides how.
 * `request` identifies the work, and the events that answer it carry the same number.
 */
export type Action =
  /** Send the conversation to the model. `advice` goes at the very bottom of the prompt and is never stored. */
  | {
      readonly type: 'ask-model';
      readonly request: number;
      readonly attempt: number;
      readonly conversation: ConversationHistory<ConversationMessage>;
      readonly tools: boolean;
      readonly advice: string | null;
      /** When the answer is due, after which it no longer counts; null for no deadline. */
      readonly deadline: number | null;
    }
  /** Ask a person about each of these calls and answer with one `permission-decided` event per call. */
  | { readonly type: 'ask-permission'; readonly request: number; readonly calls: readonly ToolCall[] }
  /** Run these calls, in parallel or in sequence, and answer with one `tool-finished` event per call. */
  | { readonly type: 'run-tools'; readonly request: number; readonly calls: readonly ToolCall[] }
  /** Run the hooks for tools that changed something (such as auto-commit) and answer with `hooks-finished`. */
  | { readonly type: 'run-hooks'; readonly request: number; readonly completed: readonly CompletedTool[] }
  /** Make room in the model's context window and answer with `paging-finished` or `paging-failed`. */
  | { readonly type: 'page-memory'; readonly request: number; readonly reason: string }
  /** Write these entries to storage because they have left working memory. No event answers this action. */
  | { readonly type: 'store'; readonly entries: readonly StoredEntry[] }
  /** Find a way out of a stuck state and answer with `recovery-finished`. */
  | {
      readonly type: 'recover';
      readonly request: number;
      readonly attempt: number;
      readonly verdict: Verdict;
    }
  /** Do nothing until the next event. If `until` is set, send `retry-due` at that time. */
  | { readonly type: 'wait'; readonly until: number | null }
  | { readonly type: 'show-text'; readonly text: string }
  | {
      readonly type: 'show-error';
      readonly kind: ModelErrorKind | 'io' | 'refused';
      readonly message: string;
    }
  /** Cancel the model call, tools or hooks of this request; later answers to it are refused. */
  | { readonly type: 'abort'; readonly request: number }
  /** The session has halted and cannot be resumed. */
  | { readonly type: 'stop'; readonly haltReason: HaltReason }
  /** Stop all work and release the session. */
  | { readonly type: 'shut-down' };

export type ActionType = Action['type'];

export const waitAction: Action = { type: 'wait', until: null };

export const waitActions: readonly Action[] = [waitAction];

export type AskModelAction = Extract<Action, { readonly type: 'ask-model' }>;

export function isAskModelAction(action: Action): action is AskModelAction {
  return action.type === 'ask-model';
}
