import type { Json } from '@pawl/core';
import { beginFollowing, follow, type Following } from './follow.ts';
import { judgementOf, type Judgement } from './judgement.ts';
import type { GovernOptions } from './options.ts';
import { roundsIn } from './rounds.ts';
import { isSame } from './same.ts';

/** Judges conversations by all their messages, and reads only what is new in them. */
export type Follower<Message> = (messages: readonly Message[]) => Judgement;

/** How far a conversation has been read. Its last round is read again, since more results may have joined it. */
type Read<Message> = {
  readonly first: Message | undefined;
  /** The messages of all rounds but the last. */
  readonly settled: Message[];
  following: Following;
  /** When the last round was first seen; null when it has not been. */
  lastAt: number | null;
  /** The round whose verdict was told last. */
  toldAt: number;
};

/** How many conversations are kept in mind. Others are read from the start: slower, with the same judgement. */
const readsMax = 16;

/**
 * A follower goes on where it left off in the conversation that these messages continue, and otherwise reads from the
 * start; either way the judgement is the one that all the messages together give. `toJson` is for hosts whose messages
 * are not plain JSON.
 */
export function createFollower<Message extends object>(
  options: GovernOptions,
  toJson: (message: Message) => Json,
): Follower<Message> {
  let reads: readonly Read<Message>[] = [];
  return (messages) => {
    const read = longest(reads, messages) ?? unread(messages, options);
    reads = [read, ...reads.filter((each) => each !== read).slice(0, readsMax - 1)];
    const following = readOn(read, messages, options, toJson);
    if (following.verdict !== null && read.toldAt < following.rounds) {
      read.toldAt = following.rounds;
      options.onVerdict?.(following.verdict);
    }
    return judgementOf(following);
  };
}

function unread<Message>(messages: readonly Message[], options: GovernOptions): Read<Message> {
  return { first: messages[0], settled: [], following: beginFollowing(options), lastAt: null, toldAt: 0 };
}

/** The read that these messages continue, and of several the one that has come farthest. */
function longest<Message>(
  reads: readonly Read<Message>[],
  messages: readonly Message[],
): Read<Message> | undefined {
  return reads
    .filter(({ first, settled }) => settled.length <= messages.length && isSame(first, messages[0]))
    .toSorted((a, b) => b.settled.length - a.settled.length)
    .find(({ settled }) => settled.every((message, index) => isSame(message, messages[index])));
}

function readOn<Message>(
  read: Read<Message>,
  messages: readonly Message[],
  options: GovernOptions,
  toJson: (message: Message) => Json,
): Following {
  const now = options.now?.() ?? null;
  const rounds = [...roundsIn(messages.slice(read.settled.length).map(toJson))];
  const last = rounds.pop();
  for (const round of rounds) {
    read.following = follow(read.following, round, options, read.lastAt ?? now);
    read.lastAt = null;
    read.settled.push(...messages.slice(read.settled.length, read.settled.length + round.size));
  }
  // As long as nothing has come of the calls at the end, what was judged before still holds.
  if (last === undefined || (last.type === 'reply' && last.isOpen)) return read.following;
  read.lastAt ??= now;
  return follow(read.following, last, options, read.lastAt);
}
