import { clipped } from './plain.ts';

/*
 * What there is to read of a session, in order: who said what, which tools ran, and what is worth a remark. It holds the
 * latest items only, whatever the session holds, so that a view of a long session stays as quick as that of a short one.
 */
export type Item =
  | { readonly kind: 'user'; readonly number: number; readonly text: string }
  /** `isOver` is false while the model still speaks. */
  | { readonly kind: 'model'; readonly number: number; readonly text: string; readonly isOver: boolean }
  | Card
  | {
      readonly kind: 'remark';
      readonly number: number;
      readonly grade: 'quiet' | 'warn' | 'bad';
      readonly text: string;
    };

/** One tool call. */
export type Card = {
  readonly kind: 'card';
  readonly number: number;
  readonly callId: string;
  readonly tool: string;
  readonly args: string;
  readonly status: CardStatus;
  readonly startedAt: number | null;
  readonly tookMs: number | null;
  /** What the tool says while it runs, and what came of it. */
  readonly said: string;
};

export type CardStatus = 'waiting' | 'running' | 'done' | 'failed' | 'denied' | 'cancelled';

export type Story = {
  readonly items: readonly Item[];
  /** The number that the next item gets. Numbers only go up. */
  readonly next: number;
  /** How many items were let go of. */
  readonly gone: number;
};

export const storyLimits = {
  items: 600,
  /** Characters in all items together. */
  characters: 1_000_000,
  text: 20_000,
  args: 2_000,
  said: 4_000,
} as const;

export const emptyStory: Story = { items: [], next: 1, gone: 0 };

/** An item before it has a number. */
type New = Item extends infer Each ? (Each extends Item ? Omit<Each, 'number'> : never) : never;

export function withItem(story: Story, item: New): Story {
  const items = [...story.items, { ...shortened(item), number: story.next } as Item];
  return trimmed({ ...story, items, next: story.next + 1 });
}

export function withRemark(
  story: Story,
  grade: Extract<Item, { kind: 'remark' }>['grade'],
  text: string,
): Story {
  return withItem(story, { kind: 'remark', grade, text });
}

/** More of what the model is saying. */
export function withSpeech(story: Story, text: string): Story {
  const last = story.items.at(-1);
  if (last?.kind !== 'model' || last.isOver) {
    return text === '' ? story : withItem(story, { kind: 'model', text, isOver: false });
  }
  return replaced(story, story.items.length - 1, { ...last, text: speech(last.text + text) });
}

/** What the model has said altogether; null where it broke off, and what there is of it stays. */
export function withSpoken(story: Story, text: string | null): Story {
  const index = story.items.findLastIndex((item) => item.kind === 'model' && !item.isOver);
  const item = story.items[index];
  if (item?.kind !== 'model') {
    return text === null || text.trim() === ''
      ? story
      : withItem(story, { kind: 'model', text, isOver: true });
  }
  if (text !== null && text.trim() === '') {
    return { ...story, items: story.items.toSpliced(index, 1) };
  }
  const spoken = clipped(text ?? item.text, storyLimits.text);
  return replaced(story, index, { ...item, text: spoken, isOver: true });
}

/** Changes the latest card of a call that has not ended; ids of calls come again in later replies. */
export function withCard(story: Story, callId: string, change: Partial<Card>): Story {
  const index = story.items.findLastIndex(
    (item) => item.kind === 'card' && item.callId === callId && !isSettled(item),
  );
  const card = story.items[index];
  if (card?.kind !== 'card') return story;
  return replaced(story, index, shortened({ ...card, ...change }) as Card);
}

/** Nothing about it will change any more. */
export function isSettled(item: Item): boolean {
  if (item.kind === 'model') return item.isOver;
  return item.kind !== 'card' || (item.status !== 'waiting' && item.status !== 'running');
}

function replaced(story: Story, index: number, item: Item): Story {
  return { ...story, items: story.items.with(index, item) };
}

function shortened(item: New): New {
  if (item.kind !== 'card') return { ...item, text: clipped(item.text, storyLimits.text) };
  const { args, said } = item;
  return { ...item, args: clipped(args, storyLimits.args), said: clipped(said, storyLimits.said) };
}

/** While a reply comes in, its end is what is looked at; the whole of it is there when it is over. */
function speech(text: string): string {
  return text.length <= 2 * storyLimits.text ? text : `… ${text.slice(-storyLimits.text)}`;
}

/** Lets go of the oldest items once there are a good many too many, so that it is not done for each one. */
function trimmed(story: Story): Story {
  const { items } = story;
  if (items.length % 64 !== 0 && items.length < storyLimits.items * 2) return story;
  let first = Math.max(0, items.length - storyLimits.items);
  let room = storyLimits.characters;
  for (let index = items.length - 1; index >= first; index -= 1) {
    room -= sizeOf(items[index]);
    if (room < 0) first = index + 1;
  }
  const gone = Math.min(first, items.length - 1);
  return { ...story, items: items.slice(gone), gone: story.gone + gone };
}

function sizeOf(item: Item | undefined): number {
  if (item === undefined) return 0;
  return item.kind === 'card' ? item.args.length + item.said.length : item.text.length;
}
