import type { Action, Json, TokenUsage, ToolOutcome } from '@pawl/core';
import {
  findToolAnswer,
  type MessageAuthor,
  type TranscriptItem,
  type TranscriptItemOfKind,
} from '@pawl/core/projections';
import type { ReplayedEntry, ReplayedTimeline } from '../../app/replayed-timeline.ts';
import { countUntilEvent } from '../../app/incremental-fold.ts';
import { toNotice, type TranscriptNotice } from './notices.ts';

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

  #addEntry({ seq, event, actions, items }: ReplayedEntry): void {
    const hasCalls = items.some(({ kind }) => kind === 'call');
    for (const item of items) this.#addItem(item, hasCalls);
    for (const action of actions) this.#addAction(seq, event.at, action);
  }

  #addItem(item: TranscriptItem, hasCalls: boolean): void {
    const { seq, at } = item;
    switch (item.kind) {
      case 'message':
        return this.#add({ kind: 'message', seq, at, text: item.text, author: item.author });
      case 'reply':
        return this.#addReply(item, hasCalls);
      case 'call':
        return this.#addCall(item);
      case 'permission': {
        const { callId, isAllowed, reason } = item;
        return this.#updateCard(callId, {
          decision: { seq, decision: isAllowed ? 'allow' : 'deny', reason },
        });
      }
      case 'tool-start':
        return this.#updateCard(item.callId, { start: { seq, at } });
      case 'tool-result': {
        const { callId, outcome, files, tests = null } = item;
        this.#setResult(callId, { seq, at, outcome, files, tests });
        const text = findToolAnswer(outcome);
        return text === null ? undefined : this.#add({ kind: 'answer', seq, at, text });
      }
      case 'delivered-result': {
        const { callId, outcome } = item;
        return this.#setResult(callId, { seq, at, outcome, files: [], tests: null });
      }
      default:
        return this.#add(toNotice(item));
    }
  }

  #addReply(item: TranscriptItemOfKind<'reply'>, hasCalls: boolean): void {
    const request = this.#modelRequest;
    const { seq, at, text, calls, usage = null, problem = null } = item;
    this.#add({
      kind: 'reply',
      seq,
      at,
      text,
      usage,
      tookMs: request === null ? null : Math.max(0, at - request.at),
      requestSeq: request?.seq ?? null,
      attempt: request?.action.attempt ?? 1,
      advice: request?.action.advice ?? null,
      problem,
      dropped: hasCalls ? 0 : calls.length,
    });
  }

  #addCall({ seq, at, call: { id, tool, args } }: TranscriptItemOfKind<'call'>): void {
    const card: ToolCard = {
      kind: 'call',
      seq,
      at,
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

  #updateCard(callId: string, change: Partial<ToolCard>): void {
    const card = this.#cards.get(callId);
    if (card !== undefined) Object.assign(card, change);
  }

  /** A call that never ran has only the result that joined the conversation. */
  #setResult(callId: string, result: ToolCardEnding): void {
    const card = this.#cards.get(callId);
    if (card !== undefined) card.result ??= result;
  }

  #addAction(seq: number, at: number, action: Action): void {
    if (action.type === 'ask-model') this.#modelRequest = { seq, at, action };
    else if (action.type === 'ask-permission') {
      const approvalRequest = { seq, request: action.request };
      for (const { id } of action.calls) this.#updateCard(id, { approvalRequest });
    }
  }

  #add(item: TranscriptEntry | null): void {
    if (item !== null) this.items.push(item);
  }
}

type AskModelRequest = Extract<Action, { readonly type: 'ask-model' }>;
