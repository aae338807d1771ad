import { elideMiddle } from './plain-text.ts';

/*
 * The readable items of a session, in order: messages, tool calls and remarks. It holds only the latest items, so that
 * the view of a long session stays as fast as that of a short one.
 */
export type LiveTranscriptItem =
  | { readonly kind: 'user'; readonly number: number; readonly text: string }
  /** `isOver` is false while the model is still streaming. */
  | { readonly kind: 'model'; readonly number: number; readonly text: string; readonly isComplete: boolean }
  | LiveToolCard
  | {
      readonly kind: 'remark';
      readonly number: number;
      readonly severity: 'info' | 'warn' | 'bad';
      readonly text: string;
    };

/** One tool call. */
export type LiveToolCard = {
  readonly kind: 'card';
  readonly number: number;
  readonly callId: string;
  readonly tool: string;
  readonly args: string;
  readonly status: ToolCardStatus;
  readonly startedAt: number | null;
  readonly durationMs: number | null;
  /** The tool's progress while it runs, then its result. */
  readonly output: string;
};

export type ToolCardStatus = 'waiting' | 'running' | 'done' | 'failed' | 'denied' | 'cancelled';

export type LiveTranscript = {
  readonly items: readonly LiveTranscriptItem[];
  /** The number of the next item; numbers only increase. */
  readonly nextNumber: number;
  /** Number of dropped items. */
  readonly droppedCount: number;
};

export const transcriptLimits = {
  items: 600,
  /** Total characters of all items. */
  characters: 1_000_000,
  text: 20_000,
  args: 2_000,
  output: 4_000,
} as const;

export const emptyTranscript: LiveTranscript = { items: [], nextNumber: 1, droppedCount: 0 };

/** An item without a number. */
type NewTranscriptItem = LiveTranscriptItem extends infer Each
  ? Each extends LiveTranscriptItem
    ? Omit<Each, 'number'>
    : never
  : never;

export function appendTranscriptItem(transcript: LiveTranscript, item: NewTranscriptItem): LiveTranscript {
  const items = [
    ...transcript.items,
    { ...truncateTranscriptItem(item), number: transcript.nextNumber } as LiveTranscriptItem,
  ];
  return trimTranscript({ ...transcript, items, nextNumber: transcript.nextNumber + 1 });
}

export function appendRemark(
  transcript: LiveTranscript,
  severity: Extract<LiveTranscriptItem, { kind: 'remark' }>['severity'],
  text: string,
): LiveTranscript {
  return appendTranscriptItem(transcript, { kind: 'remark', severity, text });
}

/** Appends streamed model text. */
export function appendModelText(transcript: LiveTranscript, text: string): LiveTranscript {
  const last = transcript.items.at(-1);
  if (last?.kind !== 'model' || last.isComplete) {
    return text === ''
      ? transcript
      : appendTranscriptItem(transcript, { kind: 'model', text, isComplete: false });
  }
  return replaceTranscriptItem(transcript, transcript.items.length - 1, {
    ...last,
    text: truncateStreamingText(last.text + text),
  });
}

/** Sets the final model text; null if the reply was aborted, which keeps the partial text. */
export function finishModelText(transcript: LiveTranscript, text: string | null): LiveTranscript {
  const index = transcript.items.findLastIndex((item) => item.kind === 'model' && !item.isComplete);
  const item = transcript.items[index];
  if (item?.kind !== 'model') {
    return text === null || text.trim() === ''
      ? transcript
      : appendTranscriptItem(transcript, { kind: 'model', text, isComplete: true });
  }
  if (text !== null && text.trim() === '') {
    return { ...transcript, items: transcript.items.toSpliced(index, 1) };
  }
  const finalText = elideMiddle(text ?? item.text, transcriptLimits.text);
  return replaceTranscriptItem(transcript, index, { ...item, text: finalText, isComplete: true });
}

/** Updates the latest unfinished card of a call; later replies may reuse call ids. */
export function updateToolCard(
  transcript: LiveTranscript,
  callId: string,
  change: Partial<LiveToolCard>,
): LiveTranscript {
  const index = transcript.items.findLastIndex(
    (item) => item.kind === 'card' && item.callId === callId && !isFinalItem(item),
  );
  const card = transcript.items[index];
  if (card?.kind !== 'card') return transcript;
  return replaceTranscriptItem(
    transcript,
    index,
    truncateTranscriptItem({ ...card, ...change }) as LiveToolCard,
  );
}

/** Returns whether an item will not change anymore. */
export function isFinalItem(item: LiveTranscriptItem): boolean {
  if (item.kind === 'model') return item.isComplete;
  return item.kind !== 'card' || (item.status !== 'waiting' && item.status !== 'running');
}

function replaceTranscriptItem(
  transcript: LiveTranscript,
  index: number,
  item: LiveTranscriptItem,
): LiveTranscript {
  return { ...transcript, items: transcript.items.with(index, item) };
}

function truncateTranscriptItem(item: NewTranscriptItem): NewTranscriptItem {
  if (item.kind !== 'card') return { ...item, text: elideMiddle(item.text, transcriptLimits.text) };
  const { args, output } = item;
  return {
    ...item,
    args: elideMiddle(args, transcriptLimits.args),
    output: elideMiddle(output, transcriptLimits.output),
  };
}

/** Keeps the end of a streaming reply; the full text follows when it is complete. */
function truncateStreamingText(text: string): string {
  return text.length <= 2 * transcriptLimits.text ? text : `… ${text.slice(-transcriptLimits.text)}`;
}

/** Drops the oldest items in batches, so that trimming does not run for every item. */
function trimTranscript(transcript: LiveTranscript): LiveTranscript {
  const { items } = transcript;
  if (items.length % 64 !== 0 && items.length < transcriptLimits.items * 2) return transcript;
  let first = Math.max(0, items.length - transcriptLimits.items);
  let room = transcriptLimits.characters;
  for (let index = items.length - 1; index >= first; index -= 1) {
    room -= getItemLength(items[index]);
    if (room < 0) first = index + 1;
  }
  const dropped = Math.min(first, items.length - 1);
  return { ...transcript, items: items.slice(dropped), droppedCount: transcript.droppedCount + dropped };
}

function getItemLength(item: LiveTranscriptItem | undefined): number {
  if (item === undefined) return 0;
  return item.kind === 'card' ? item.args.length + item.output.length : item.text.length;
}
