import type { Message, UserMessage } from '../conversation/message.ts';
import { printed } from './describe.ts';
import { safeCuts } from './safe-cuts.ts';
import { summaryOf } from './shelf-summary.ts';
import type { StoredEntry } from './storage-entry.ts';
import { keyOf } from './tags.ts';

export type CompactOptions = {
  /** How many tokens the conversation may keep. */
  readonly keepTokens: number;
  /** How many of the last messages stay whatever they cost. */
  readonly keepLast: number;
  readonly estimate: (text: string) => number;
  /** What the shelved messages are filed under: one normal tag that no other conversation has. */
  readonly tag: string;
  readonly at: number;
  /** What a model says about what is shelved. It is left out where there is no room for it. */
  readonly words?: string;
};

export type Compacted = {
  /** The conversation that is left: the goal, the summary, the last messages. */
  readonly keep: readonly Message[];
  readonly shelved: readonly Message[];
  /** Stands in `keep` for the shelved messages; null when nothing was shelved. */
  readonly summaryStub: UserMessage | null;
  /** The shelved messages as they go to storage, one entry for what belongs together. */
  readonly entries: readonly StoredEntry[];
  readonly fits: boolean;
};

/**
 * Shelves the older part of a conversation, as much of it as leaves room for a summary. The first thing the user said and the
 * last messages stay, and a call is never parted from its result.
 */
export function compact(messages: readonly Message[], options: CompactOptions): Compacted {
  const { keepTokens, estimate } = options;
  const costOf = (message: Message): number => estimate(printed(message));
  const costs = messages.map(costOf);
  const all = costs.reduce((sum, cost) => sum + cost, 0);
  const whole: Compacted = {
    keep: messages,
    shelved: [],
    summaryStub: null,
    entries: [],
    fits: all <= keepTokens,
  };
  if (whole.fits) return whole;
  const goal = messages.findIndex(({ role }) => role === 'user');
  const cut = chooseCut(messages, goal, { costs, all, options });
  if (cut === null) return whole;
  const shelved = messages.slice(0, cut).filter((_, index) => index !== goal);
  const { words, ...plain } = options;
  for (const summarised of words === undefined ? [plain] : [options, plain]) {
    const summaryStub = summaryOf(shelved, summarised);
    const keep = [...messages.slice(goal, goal + 1), summaryStub, ...messages.slice(cut)];
    const left = keep.reduce((sum, message) => sum + costOf(message), 0);
    // A few short messages can cost less than the summary that would stand for them.
    if (left < all)
      return { keep, shelved, summaryStub, entries: filed(shelved, options), fits: left <= keepTokens };
  }
  return whole;
}

/** The first safe cut that leaves little enough, with room for the summary; else the last one there is. */
function chooseCut(
  messages: readonly Message[],
  goal: number,
  {
    costs,
    all,
    options,
  }: { readonly costs: readonly number[]; readonly all: number; readonly options: CompactOptions },
): number | null {
  const { keepTokens, keepLast } = options;
  const aim = keepTokens - Math.min(summaryTokens, keepTokens / 4);
  const cuts = safeCuts(messages).filter((cut) => cut > goal + 1 && cut <= messages.length - keepLast);
  let left = all;
  let from = 0;
  for (const cut of cuts) {
    for (; from < cut; from += 1) left -= from === goal ? 0 : (costs[from] ?? 0);
    if (left <= aim) return cut;
  }
  return cuts.at(-1) ?? null;
}

/** About what the longest summary costs. */
const summaryTokens = 400;

/** One entry for each stretch that stands on its own: a message, or calls with their results. */
function filed(shelved: readonly Message[], { tag, at }: CompactOptions): readonly StoredEntry[] {
  const cuts = [...safeCuts(shelved), shelved.length];
  let from = 0;
  return cuts.map((cut): StoredEntry => {
    const stretch = shelved.slice(from, cut);
    const key = keyOf([tag, `messages_${at}_${from + 1}`]);
    from = cut;
    return { key, value: stretch, kind: 'conversation', savedAt: at };
  });
}
