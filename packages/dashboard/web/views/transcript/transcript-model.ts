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
import { toActionNotice, toEventNotice, toNoteNotice, type TranscriptNotice } from './notices.ts';

/** One entry of the transcript. `seq` is the event it came from. */
export type TranscriptEntry =
  | {
      readonly kind: 'said';
      readonly seq: number;
      readonly at: number;
      readonly text: string;
      readonly by: MessageAuthor;
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
  readonly askedAt: number | null;
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
  asked: { readonly seq: number; readonly request: number } | null;
  decided: {
    readonly seq: number;
    readonly decision: 'allow' | 'deny';
    readonly reason: string | null;
  } | null;
  started: { readonly seq: number; readonly at: number } | null;
  ended: ToolCardEnding | null;
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
  readonly #track: ReplayedTimeline;
  readonly #cards = new Map<string, ToolCard>();
  #read = 0;
  #asked: { readonly seq: number; readonly at: number; readonly action: AskModelRequest } | null = null;

  constructor(track: ReplayedTimeline) {
    this.#track = track;
  }

  /** Processes the events added since the last call. */
  readOn(): this {
    for (; this.#read < this.#track.length; this.#read += 1) this.#take(this.#track.entry(this.#read));
    return this;
  }

  /** Counts the entries up to and including an event. */
  countAt(seq: number): number {
    let low = 0;
    let high = this.items.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.items[middle]?.seq ?? 0) <= seq) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #take(entry: ReplayedEntry): void {
    const { seq, event, actions, notes, joined } = entry;
    if (event.type === 'model-replied') this.#reply(entry, event);
    else this.#eventItems(seq, event);
    for (const message of joined) this.#message(seq, message);
    for (const action of actions) this.#action(seq, event.at, action);
    for (const note of notes) this.#add(toNoteNotice(seq, note));
  }

  #reply({ seq, joined }: ReplayedEntry, event: Extract<Event, { readonly type: 'model-replied' }>): void {
    const asked = this.#asked;
    const kept = joined.some(({ role }) => role === 'assistant');
    this.#add({
      kind: 'reply',
      seq,
      at: event.at,
      text: event.text,
      usage: event.usage ?? null,
      tookMs: asked === null ? null : Math.max(0, event.at - asked.at),
      askedAt: asked?.seq ?? null,
      attempt: asked?.action.attempt ?? 1,
      advice: asked?.action.advice ?? null,
      problem: event.problem ?? null,
      dropped: kept ? 0 : event.calls.length,
    });
  }

  #eventItems(seq: number, event: Event): void {
    switch (event.type) {
      case 'user-message':
        return this.#said(seq, event, event.automatic === true ? 'automatic' : 'user');
      case 'steered':
        return this.#said(seq, event, 'steer');
      case 'permission-decided': {
        const { callId, decision, reason = null } = event;
        return this.#change(callId, { decided: { seq, decision, reason } });
      }
      case 'tool-started':
        return this.#change(event.callId, { started: { seq, at: event.at } });
      case 'tool-finished':
        return this.#finished(seq, event);
      default:
        return this.#add(toEventNotice(seq, event));
    }
  }

  #said(seq: number, { at, text }: { readonly at: number; readonly text: string }, by: MessageAuthor): void {
    this.#add({ kind: 'said', seq, at, text, by });
  }

  #change(callId: string, change: Partial<ToolCard>): void {
    const card = this.#cards.get(callId);
    if (card !== undefined) Object.assign(card, change);
  }

  #finished(seq: number, { callId, at, outcome, files = [], tests }: ToolFinished): void {
    this.#end(seq, callId, { seq, at, outcome, files: files.map(({ path }) => path), tests: tests ?? null });
    const text = findToolAnswer(outcome);
    if (text !== null) this.#add({ kind: 'answer', seq, at, text });
  }

  #message(seq: number, message: ConversationMessage): void {
    if (message.role === 'assistant') {
      for (const { id, tool, args } of message.calls) {
        const card: ToolCard = {
          kind: 'call',
          seq,
          at: message.at,
          callId: id,
          tool,
          args,
          asked: null,
          decided: null,
          started: null,
          ended: null,
        };
        this.#cards.set(id, card);
        this.#add(card);
      }
    } else if (message.role === 'tool') {
      const { callId, at, outcome } = message;
      // A call that never ran still has a result, which appears only here.
      if (this.#cards.get(callId)?.ended === null) {
        this.#end(seq, callId, { seq, at, outcome, files: [], tests: null });
      }
    }
  }

  #end(seq: number, callId: string, ending: ToolCardEnding): void {
    const card = this.#cards.get(callId);
    if (card !== undefined && card.seq <= seq) card.ended ??= ending;
  }

  #action(seq: number, at: number, action: Action): void {
    if (action.type === 'ask-model') this.#asked = { seq, at, action };
    else if (action.type === 'ask-permission') {
      const asked = { seq, request: action.request };
      for (const { id } of action.calls) this.#change(id, { asked });
    } else this.#add(toActionNotice(seq, at, action));
  }

  #add(item: TranscriptEntry | null): void {
    if (item !== null) this.items.push(item);
  }
}

type AskModelRequest = Extract<Action, { readonly type: 'ask-model' }>;
