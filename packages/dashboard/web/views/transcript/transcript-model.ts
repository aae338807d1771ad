import type {
  Action,
  Event,
  Json,
  ConversationMessage,
  ToolOutcome,
  ToolFinished,
  TokenUsage,
} from '@pawl/core';
import { findToolAnswer } from '../../app/tool-answer.ts';
import type { ReplayedEntry, ReplayedTimeline } from '../../app/replayed-timeline.ts';
import { countUntilEvent } from '../timeline/incremental-fold.ts';
import { toActionNotice, toEventNotice, toNoteNotice, type TranscriptNotice } from './notices.ts';

/** One entry of the transcript. `seq` is the event it came from. */
export type TranscriptEntry =
  | {
      readonly kind: 'message';
      readonly seq: number;
      readonly at: number;
      readonly text: string;
      readonly author: MessageAuthor;
    }
  | TranscriptReply
  | ToolCard
  /** The answer of a final tool result; otherwise the last reply is the answer. */
  | { readonly kind: 'answer'; readonly seq: number; readonly at: number; readonly text: string }
  | TranscriptNotice;

/** `steer` is sent while work is in progress; `automatic` does not come from a person. */
export type MessageAuthor = 'user' | 'steer' | 'automatic';

export type TranscriptReply = {
  readonly kind: 'reply';
  readonly seq: number;
  readonly at: number;
  readonly text: string;
  readonly usage: TokenUsage | null;
  readonly tookMs: number | null;
  /** The event that caused the model request; the exact prompt is stored under it. */
  readonly requestSeq: number | null;
  readonly attempt: number;
  /** Advice that the governor appended to the prompt. */
  readonly advice: string | null;
  readonly problem: string | null;
  /** Number of tool calls dropped because the reply was a final answer or was rejected. */
  readonly dropped: number;
};

/** A tool call from the reply that requested it to its result, with the event of each stage. */
export type ToolCard = {
  readonly kind: 'call';
  readonly seq: number;
  readonly at: number;
  readonly callId: string;
  readonly tool: string;
  readonly args: Json;
  approvalRequest: { readonly seq: number; readonly request: number } | null;
  decision: {
    readonly seq: number;
    readonly decision: 'allow' | 'deny';
    readonly reason: string | null;
  } | null;
  start: { readonly seq: number; readonly at: number } | null;
  result: ToolCardEnding | null;
};

export type ToolCardEnding = {
  readonly seq: number;
  readonly at: number;
  readonly outcome: ToolOutcome;
  readonly files: readonly string[];
  readonly tests: { readonly passed: number; readonly failed: number } | null;
};

/** Builds the transcript of a timeline incrementally, reading each event once. */
export class TranscriptProjection {
  readonly items: TranscriptEntry[] = [];
  readonly #timeline: ReplayedTimeline;
  readonly #cards = new Map<string, ToolCard>();
  #processed = 0;
  #modelRequest: { readonly seq: number; readonly at: number; readonly action: AskModelRequest } | null =
    null;

  constructor(timeline: ReplayedTimeline) {
    this.#timeline = timeline;
  }

  /** Processes the events added since the last call. */
  update(): this {
    for (; this.#processed < this.#timeline.length; this.#processed += 1)
      this.#addEntry(this.#timeline.entry(this.#processed));
    return this;
  }

  /** Counts the entries up to and including an event. */
  countAt(seq: number): number {
    return countUntilEvent(this.items, seq);
  }

  #addEntry(entry: ReplayedEntry): void {
    const { seq, event, actions, notes, addedMessages } = entry;
    if (event.type === 'model-replied') this.#addReply(entry, event);
    else this.#addEvent(seq, event);
    for (const message of addedMessages) this.#addConversationMessage(seq, message);
    for (const action of actions) this.#addAction(seq, event.at, action);
    for (const note of notes) this.#add(toNoteNotice(seq, note));
  }

  #addReply(
    { seq, addedMessages }: ReplayedEntry,
    event: Extract<Event, { readonly type: 'model-replied' }>,
  ): void {
    const request = this.#modelRequest;
    const isInConversation = addedMessages.some(({ role }) => role === 'assistant');
    this.#add({
      kind: 'reply',
      seq,
      at: event.at,
      text: event.text,
      usage: event.usage ?? null,
      tookMs: request === null ? null : Math.max(0, event.at - request.at),
      requestSeq: request?.seq ?? null,
      attempt: request?.action.attempt ?? 1,
      advice: request?.action.advice ?? null,
      problem: event.problem ?? null,
      dropped: isInConversation ? 0 : event.calls.length,
    });
  }

  #addEvent(seq: number, event: Event): void {
    switch (event.type) {
      case 'user-message':
        return this.#addMessage(seq, event, event.automatic === true ? 'automatic' : 'user');
      case 'steered':
        return this.#addMessage(seq, event, 'steer');
      case 'permission-decided': {
        const { callId, decision, reason = null } = event;
        return this.#updateCard(callId, { decision: { seq, decision, reason } });
      }
      case 'tool-started':
        return this.#updateCard(event.callId, { start: { seq, at: event.at } });
      case 'tool-finished':
        return this.#finishCall(seq, event);
      default:
        return this.#add(toEventNotice(seq, event));
    }
  }

  #addMessage(
    seq: number,
    { at, text }: { readonly at: number; readonly text: string },
    author: MessageAuthor,
  ): void {
    this.#add({ kind: 'message', seq, at, text, author });
  }

  #updateCard(callId: string, change: Partial<ToolCard>): void {
    const card = this.#cards.get(callId);
    if (card !== undefined) Object.assign(card, change);
  }

  #finishCall(seq: number, { callId, at, outcome, files = [], tests }: ToolFinished): void {
    this.#setResult(seq, callId, {
      seq,
      at,
      outcome,
      files: files.map(({ path }) => path),
      tests: tests ?? null,
    });
    const text = findToolAnswer(outcome);
    if (text !== null) this.#add({ kind: 'answer', seq, at, text });
  }

  #addConversationMessage(seq: number, message: ConversationMessage): void {
    if (message.role === 'assistant') {
      for (const { id, tool, args } of message.calls) {
        const card: ToolCard = {
          kind: 'call',
          seq,
          at: message.at,
          callId: id,
          tool,
          args,
          approvalRequest: null,
          decision: null,
          start: null,
          result: null,
        };
        this.#cards.set(id, card);
        this.#add(card);
      }
    } else if (message.role === 'tool') {
      const { callId, at, outcome } = message;
      // A call that never ran still has a result, which appears only here.
      if (this.#cards.get(callId)?.result === null) {
        this.#setResult(seq, callId, { seq, at, outcome, files: [], tests: null });
      }
    }
  }

  #setResult(seq: number, callId: string, result: ToolCardEnding): void {
    const card = this.#cards.get(callId);
    if (card !== undefined && card.seq <= seq) card.result ??= result;
  }

  #addAction(seq: number, at: number, action: Action): void {
    if (action.type === 'ask-model') this.#modelRequest = { seq, at, action };
    else if (action.type === 'ask-permission') {
      const approvalRequest = { seq, request: action.request };
      for (const { id } of action.calls) this.#updateCard(id, { approvalRequest });
    } else this.#add(toActionNotice(seq, at, action));
  }

  #add(item: TranscriptEntry | null): void {
    if (item !== null) this.items.push(item);
  }
}

type AskModelRequest = Extract<Action, { readonly type: 'ask-model' }>;
