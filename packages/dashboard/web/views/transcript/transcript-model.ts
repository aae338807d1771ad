import type { Action, Event, Json, Message, Outcome, ToolFinished, Usage } from '@pawl/core';
import { finalAnswer } from '../../app/final-answer.ts';
import type { Entry, Track } from '../../app/track.ts';
import { actionNotice, eventNotice, noteNotice, type Notice } from './notices.ts';

/** What a person reads of a session, one thing after the other. `seq` is the event that it came with. */
export type Item =
  | {
      readonly kind: 'said';
      readonly seq: number;
      readonly at: number;
      readonly text: string;
      readonly by: Speaker;
    }
  | Reply
  | CallCard
  /** What the work came to, where a tool brings it; otherwise the last reply says it. */
  | { readonly kind: 'answer'; readonly seq: number; readonly at: number; readonly text: string }
  | Notice;

/** `steer` is said while work is under way; `automatic` is said by no person. */
export type Speaker = 'user' | 'steer' | 'automatic';

export type Reply = {
  readonly kind: 'reply';
  readonly seq: number;
  readonly at: number;
  readonly text: string;
  readonly usage: Usage | null;
  readonly tookMs: number | null;
  /** The event that made the model be asked: the exact prompt is found under it. */
  readonly askedAt: number | null;
  readonly attempt: number;
  /** What the governor put at the bottom of the prompt. */
  readonly advice: string | null;
  readonly problem: string | null;
  /** Calls of the reply that were dropped, because it was a last answer or was not taken. */
  readonly dropped: number;
};

/** A call from the reply that asked for it to its result. The parts say at which event each came. */
export type CallCard = {
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
  ended: Ending | null;
};

export type Ending = {
  readonly seq: number;
  readonly at: number;
  readonly outcome: Outcome;
  readonly files: readonly string[];
  readonly tests: { readonly passed: number; readonly failed: number } | null;
};

/** Reads a track as it grows: each event once. */
export class Transcript {
  readonly items: Item[] = [];
  readonly #track: Track;
  readonly #cards = new Map<string, CallCard>();
  #read = 0;
  #asked: { readonly seq: number; readonly at: number; readonly action: AskModel } | null = null;

  constructor(track: Track) {
    this.#track = track;
  }

  /** Takes in what has joined the track since. */
  readOn(): this {
    for (; this.#read < this.#track.length; this.#read += 1) this.#take(this.#track.entry(this.#read));
    return this;
  }

  /** How many items there are up to and with an event. */
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

  #take(entry: Entry): void {
    const { seq, event, actions, notes, joined } = entry;
    if (event.type === 'model-replied') this.#reply(entry, event);
    else this.#eventItems(seq, event);
    for (const message of joined) this.#message(seq, message);
    for (const action of actions) this.#action(seq, event.at, action);
    for (const note of notes) this.#add(noteNotice(seq, note));
  }

  #reply({ seq, joined }: Entry, event: Extract<Event, { readonly type: 'model-replied' }>): void {
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
        return this.#add(eventNotice(seq, event));
    }
  }

  #said(seq: number, { at, text }: { readonly at: number; readonly text: string }, by: Speaker): void {
    this.#add({ kind: 'said', seq, at, text, by });
  }

  #change(callId: string, change: Partial<CallCard>): void {
    const card = this.#cards.get(callId);
    if (card !== undefined) Object.assign(card, change);
  }

  #finished(seq: number, { callId, at, outcome, files = [], tests }: ToolFinished): void {
    this.#end(seq, callId, { seq, at, outcome, files: files.map(({ path }) => path), tests: tests ?? null });
    const text = finalAnswer(outcome);
    if (text !== null) this.#add({ kind: 'answer', seq, at, text });
  }

  #message(seq: number, message: Message): void {
    if (message.role === 'assistant') {
      for (const { id, tool, args } of message.calls) {
        const card: CallCard = {
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
      // A call that never ran has a result all the same, and only here.
      if (this.#cards.get(callId)?.ended === null) {
        this.#end(seq, callId, { seq, at, outcome, files: [], tests: null });
      }
    }
  }

  #end(seq: number, callId: string, ending: Ending): void {
    const card = this.#cards.get(callId);
    if (card !== undefined && card.seq <= seq) card.ended ??= ending;
  }

  #action(seq: number, at: number, action: Action): void {
    if (action.type === 'ask-model') this.#asked = { seq, at, action };
    else if (action.type === 'ask-permission') {
      const asked = { seq, request: action.request };
      for (const { id } of action.calls) this.#change(id, { asked });
    } else this.#add(actionNotice(seq, at, action));
  }

  #add(item: Item | null): void {
    if (item !== null) this.items.push(item);
  }
}

type AskModel = Extract<Action, { readonly type: 'ask-model' }>;
