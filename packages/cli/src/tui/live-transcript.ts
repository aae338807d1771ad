import { elideMiddle } from './plain-text.ts';

/*
 * The readable items of a session, in order: messages, tool calls and remarks. It holds only the latest items, so that
 * the view of a long session stays as fast as that of a short one.
 */
export type LiveTranscriptItem =
  | { readonly kind: 'user'; readonly number: number; readonly text: string }
  /** `isOver` is false while the model is still streaming. */
  | { readonly kind: 'model'; readonly number: number; readonly text: string; readonly isOver: boolean }
  | LiveToolCard
  | {
      readonly kind: 'remark';
      readonly number: number;
      readonly grade: 'quiet' | 'warn' | 'bad';
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
  readonly tookMs: number | null;
  /** The tool's progress while it runs, then its result. */
  readonly said: string;
};

export type ToolCardStatus = 'waiting' | 'running' | 'done' | 'failed' | 'denied' | 'cancelled';

export type LiveTranscript = {
  readonly items: readonly LiveTranscriptItem[];
  /** The number of the next item; numbers only increase. */
  readonly next: number;
  /** Number of dropped items. */
  readonly gone: number;
};

export const transcriptLimits = {
  items: 600,
  /** Total characters of all items. */
  characters: 1_000_000,
  text: 20_000,
  args: 2_000,
  said: 4_000,
} as const;

export const emptyTranscript: LiveTranscript = { items: [], next: 1, gone: 0 };

/** An item without a number. */
type NewTranscriptItem = LiveTranscriptItem extends infer Each
  ? Each extends LiveTranscriptItem
    ? Omit<Each, 'number'>
    : never
  : never;

export function appendTranscriptItem(story: LiveTranscript, item: NewTranscriptItem): LiveTranscript {
  const items = [
    ...story.items,
    { ...truncateTranscriptItem(item), number: story.next } as LiveTranscriptItem,
  ];
  return trimTranscript({ ...story, items, next: story.next + 1 });
}

export function appendRemark(
  story: LiveTranscript,
  grade: Extract<LiveTranscriptItem, { kind: 'remark' }>['grade'],
  text: string,
): LiveTranscript {
  return appendTranscriptItem(story, { kind: 'remark', grade, text });
}

/** Appends streamed model text. */
export function appendModelText(story: LiveTranscript, text: string): LiveTranscript {
  const last = story.items.at(-1);
  if (last?.kind !== 'model' || last.isOver) {
    return text === '' ? story : appendTranscriptItem(story, { kind: 'model', text, isOver: false });
  }
  return replaceTranscriptItem(story, story.items.length - 1, {
    ...last,
    text: truncateStreamingText(last.text + text),
  });
}

/** Sets the final model text; null if the reply was aborted, which keeps the partial text. */
export function finishModelText(story: LiveTranscript, text: string | null): LiveTranscript {
  const index = story.items.findLastIndex((item) => item.kind === 'model' && !item.isOver);
  const item = story.items[index];
  if (item?.kind !== 'model') {
    return text === null || text.trim() === ''
      ? story
      : appendTranscriptItem(story, { kind: 'model', text, isOver: true });
  }
  if (text !== null && text.trim() === '') {
    return { ...story, items: story.items.toSpliced(index, 1) };
  }
  const spoken = elideMiddle(text ?? item.text, transcriptLimits.text);
  return replaceTranscriptItem(story, index, { ...item, text: spoken, isOver: true });
}

/** Updates the latest unfinished card of a call; later replies may reuse call ids. */
export function updateToolCard(
  story: LiveTranscript,
  callId: string,
  change: Partial<LiveToolCard>,
): LiveTranscript {
  const index = story.items.findLastIndex(
    (item) => item.kind === 'card' && item.callId === callId && !isFinalItem(item),
  );
  const card = story.items[index];
  if (card?.kind !== 'card') return story;
  return replaceTranscriptItem(story, index, truncateTranscriptItem({ ...card, ...change }) as LiveToolCard);
}

/** Returns whether an item will not change anymore. */
export function isFinalItem(item: LiveTranscriptItem): boolean {
  if (item.kind === 'model') return item.isOver;
  return item.kind !== 'card' || (item.status !== 'waiting' && item.status !== 'running');
}

function replaceTranscriptItem(
  story: LiveTranscript,
  index: number,
  item: LiveTranscriptItem,
): LiveTranscript {
  return { ...story, items: story.items.with(index, item) };
}

function truncateTranscriptItem(item: NewTranscriptItem): NewTranscriptItem {
  if (item.kind !== 'card') return { ...item, text: elideMiddle(item.text, transcriptLimits.text) };
  const { args, said } = item;
  return {
    ...item,
    args: elideMiddle(args, transcriptLimits.args),
    said: elideMiddle(said, transcriptLimits.said),
  };
}

/** Keeps the end of a streaming reply; the full text follows when it is complete. */
function truncateStreamingText(text: string): string {
  return text.length <= 2 * transcriptLimits.text ? text : `… ${text.slice(-transcriptLimits.text)}`;
}

/** Drops the oldest items in batches, so that trimming does not run for every item. */
function trimTranscript(story: LiveTranscript): LiveTranscript {
  const { items } = story;
  if (items.length % 64 !== 0 && items.length < transcriptLimits.items * 2) return story;
  let first = Math.max(0, items.length - transcriptLimits.items);
  let room = transcriptLimits.characters;
  for (let index = items.length - 1; index >= first; index -= 1) {
    room -= getItemLength(items[index]);
    if (room < 0) first = index + 1;
  }
  const gone = Math.min(first, items.length - 1);
  return { ...story, items: items.slice(gone), gone: story.gone + gone };
}

function getItemLength(item: LiveTranscriptItem | undefined): number {
  if (item === undefined) return 0;
  return item.kind === 'card' ? item.args.length + item.said.length : item.text.length;
}
