import { isEphemeral, type Event } from '@pawl/core';
import type { Mask } from '../mask.ts';

/** Passes on what is said while it is said, to one reader. */
export type LiveText = {
  see(event: Event): void;
  end(): void;
};

export type LiveTextOptions = {
  readonly mask: Mask;
  readonly send: (event: Event) => void;
  /** How long pieces are gathered before they are sent. */
  readonly everyMs: number;
};

type Delta = Extract<Event, { readonly type: 'text-delta' | 'call-delta' }>;

/** One text that grows, and how much of it, without its secrets, was sent. */
type Growing = { readonly delta: Delta; text: string; sent: string };

/** A word that is longer than this is no key. */
const wordMax = 500;

/**
 * A secret may come in pieces, none of which looks like one. So the whole text so far is masked each time, up to its last
 * whole word, and only what was added is sent. Where the masked text no longer begins with what was sent, nothing is sent: the
 * reply is kept soon, and then it is sent whole.
 */
export function createLiveText({ mask, send, everyMs }: LiveTextOptions): LiveText {
  const growing = new Map<string, Growing>();
  let timer: NodeJS.Timeout | null = null;
  const flush = (): void => {
    timer = null;
    for (const each of growing.values()) {
      const whole = String(mask(wholeWords(each.text)));
      if (whole.length <= each.sent.length || !whole.startsWith(each.sent)) continue;
      send(withPiece(each.delta, whole.slice(each.sent.length)));
      each.sent = whole;
    }
  };
  const add = (key: string, delta: Delta, piece: string): void => {
    const before = growing.get(key);
    if (before === undefined) growing.set(key, { delta, text: piece, sent: '' });
    else before.text += piece;
    timer ??= setTimeout(flush, everyMs);
  };
  return {
    see(event) {
      if (event.type === 'text-delta') add(`text ${event.request ?? ''}`, event, event.text);
      else if (event.type === 'call-delta') {
        add(`call ${event.request ?? ''} ${event.callId}`, event, event.fragment);
      } else if (isEphemeral(event)) send(event);
      // What was said is kept by now, or called off.
      else growing.clear();
    },
    end() {
      if (timer !== null) clearTimeout(timer);
    },
  };
}

function wholeWords(text: string): string {
  const end = Math.max(text.lastIndexOf(' '), text.lastIndexOf('\n')) + 1;
  return text.slice(0, Math.max(end, text.length - wordMax));
}

function withPiece(delta: Delta, piece: string): Delta {
  return delta.type === 'text-delta' ? { ...delta, text: piece } : { ...delta, fragment: piece };
}
