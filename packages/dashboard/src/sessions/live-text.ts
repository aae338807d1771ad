import { isEphemeralEvent, type Event } from '@pawl/core';
import type { SecretMask } from '../http/json-response.ts';

/** Forwards streamed model output to one client. */
export type LiveTextSender = {
  observe(event: Event): void;
  end(): void;
};

export type LiveTextOptions = {
  readonly mask: SecretMask;
  readonly send: (event: Event) => void;
  /** How long deltas are collected before they are sent. */
  readonly intervalMs: number;
};

type StreamedDelta = Extract<Event, { readonly type: 'text-delta' | 'call-delta' }>;

/** One streamed text, and how much of its masked form was sent. */
type GrowingText = { readonly delta: StreamedDelta; text: string; sent: string };

/** Longer words cannot be secrets. */
const wordLengthMax = 500;

/**
 * A secret may arrive split over several deltas, none of which looks like a secret. Therefore the whole text so far is
 * masked each time, up to its last complete word, and only the addition is sent. If the masked text no longer starts
 * with the text already sent, nothing is sent: the complete reply follows as a stored event.
 */
export function createLiveTextSender({ mask, send, intervalMs }: LiveTextOptions): LiveTextSender {
  const streams = new Map<string, GrowingText>();
  let timer: NodeJS.Timeout | null = null;
  const flush = (): void => {
    timer = null;
    for (const each of streams.values()) {
      const masked = String(mask(trimToWholeWords(each.text)));
      if (masked.length <= each.sent.length || !masked.startsWith(each.sent)) continue;
      send(replaceDeltaText(each.delta, masked.slice(each.sent.length)));
      each.sent = masked;
    }
  };
  const add = (key: string, delta: StreamedDelta, fragment: string): void => {
    const before = streams.get(key);
    if (before === undefined) streams.set(key, { delta, text: fragment, sent: '' });
    else before.text += fragment;
    timer ??= setTimeout(flush, intervalMs);
  };
  return {
    observe(event) {
      if (event.type === 'text-delta') add(`text ${event.request ?? ''}`, event, event.text);
      else if (event.type === 'call-delta') {
        add(`call ${event.request ?? ''} ${event.callId}`, event, event.fragment);
      } else if (isEphemeralEvent(event)) send(event);
      // The text is stored by now, or it was cancelled.
      else streams.clear();
    },
    end() {
      if (timer !== null) clearTimeout(timer);
    },
  };
}

function trimToWholeWords(text: string): string {
  const end = Math.max(text.lastIndexOf(' '), text.lastIndexOf('\n')) + 1;
  return text.slice(0, Math.max(end, text.length - wordLengthMax));
}

function replaceDeltaText(delta: StreamedDelta, fragment: string): StreamedDelta {
  return delta.type === 'text-delta' ? { ...delta, text: fragment } : { ...delta, fragment: fragment };
}
