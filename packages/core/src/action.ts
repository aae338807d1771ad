import type { Call, Message } from './conversation/message.ts';
import type { Conversation } from './conversation/conversation.ts';
import type { ModelErrorKind } from './event.ts';
import type { Verdict } from './governor/verdict.ts';
import type { StoredEntry } from './memory/storage-entry.ts';
import type { HaltReason } from './turn/state.ts';

/** Which tool ended how; hooks tell from it whether there is anything for them to do. */
export type CompletedTool = { readonly callId: string; readonly tool: string; readonly ok: boolean };

/**
 * An action is something the caller must now do. The machine decides what, the caller decides how.
 * `request` names the piece of work; the events that answer it carry the same number.
 */
export type Action =
  /** Send the conversation to the model. `advice` goes to the very bottom of the prompt and is never stored. */
  | {
      readonly type: 'ask-model';
      readonly request: number;
      readonly attempt: number;
      readonly conversation: Conversation<Message>;
      readonly tools: boolean;
      readonly advice: string | null;
      /** When the answer is due; after that nobody waits for it. Null for no deadline. */
      readonly deadline: number | null;
    }
  /** Ask a person about each of these calls, and answer with one `permission-decided` each. */
  | { readonly type: 'ask-permission'; readonly request: number; readonly calls: readonly Call[] }
  /** Run these calls, in parallel or in order as the caller likes; answer with one `tool-finished` each. */
  | { readonly type: 'run-tools'; readonly request: number; readonly calls: readonly Call[] }
  /** Run what is to run after tools changed something (auto-commit and the like); answer with `hooks-finished`. */
  | { readonly type: 'run-hooks'; readonly request: number; readonly completed: readonly CompletedTool[] }
  /** Make room in the model's window; answer with `paging-finished` or `paging-failed`. */
  | { readonly type: 'page-memory'; readonly request: number; readonly reason: string }
  /** Keep these in storage: they have left working memory. Nothing answers it. */
  | { readonly type: 'store'; readonly entries: readonly StoredEntry[] }
  /** Find a way out of a stuck state; answer with `recovery-finished`. */
  | {
      readonly type: 'recover';
      readonly request: number;
      readonly attempt: number;
      readonly verdict: Verdict;
    }
  /** Nothing to do until the next event. With `until`, send `retry-due` at that time. */
  | { readonly type: 'wait'; readonly until: number | null }
  | { readonly type: 'show-text'; readonly text: string }
  | {
      readonly type: 'show-error';
      readonly kind: ModelErrorKind | 'io' | 'refused';
      readonly message: string;
    }
  /** Call off the model call, tools or hooks of this request; nothing they answer will be taken. */
  | { readonly type: 'abort'; readonly request: number }
  /** The session has halted for good. */
  | { readonly type: 'stop'; readonly why: HaltReason }
  /** End everything and let go of the session. */
  | { readonly type: 'shut-down' };

export type ActionType = Action['type'];
