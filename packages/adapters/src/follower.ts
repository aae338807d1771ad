import type { Json } from '@pawl/core';
import { beginFollowing, follow, type Following } from './follow.ts';
import { judgementOf, type Judgement } from './judgement.ts';
import type { GovernOptions } from './options.ts';
import { roundsIn, type Round } from './rounds.ts';

/** Judges conversations by all their messages, reading only what is new. */
export type Follower<Message> = (messages: readonly Message[]) => Judgement;

/** How far a conversation has been read. Its last round is read again, since more results may have joined it. */
type Read<Message> = {
  /** The messages of all rounds but the last. */
  readonly settled: Message[];
  following: Following;
  /** When the last round was first seen; null when it has not been. */
  lastAt: number | null;
  /** How many messages were settled when a verdict was last told. */
  toldAt: number;
};

/**
 * A follower knows a conversation by its first message and goes on where it left off as long as the messages before that
 * are the very same objects; otherwise it reads from the start. Either way the judgement is the one that all the messages
 * together give. `toJson` is for hosts whose messages are not plain JSON.
 */
export function createFollower<Message extends object>(
  options: GovernOptions,
  toJson: (message: Message) => Json,
): Follower<Message> {
  const known = new WeakMap<Message, Read<Message>>();
  return (messages) => {
    const first = messages[0];
    const before = first === undefined ? undefined : known.get(first);
    const read = before !== undefined && isBegunBy(messages, before.settled) ? before : unread<Message>(options);
    if (first !== undefined) known.set(first, read);
    const judgement = judgementOf(readOn(read, messages, options, toJson));
    if (judgement.verdict !== null && read.toldAt !== read.settled.length) {
      read.toldAt = read.settled.length;
      options.onVerdict?.(judgement.verdict);
    }
    return judgement;
  };
}

function unread<Message>(options: GovernOptions): Read<Message> {
  return { settled: [], following: beginFollowing(options), lastAt: null, toldAt: -1 };
}

function isBegunBy<Message>(messages: readonly Message[], settled: readonly Message[]): boolean {
  return settled.length <= messages.length && settled.every((message, index) => message === messages[index]);
}

function readOn<Message>(
  read: Read<Message>,
  messages: readonly Message[],
  options: GovernOptions,
  toJson: (message: Message) => Json,
): Following {
  const now = options.now?.() ?? null;
  const start = read.settled.length;
  const rounds = [...roundsIn(messages.slice(start).map(toJson))];
  const last = rounds.pop();
  for (const round of rounds) {
    read.following = follow(read.following, round, options, read.lastAt ?? now);
    read.lastAt = null;
    read.settled.push(...messages.slice(read.settled.length, read.settled.length + round.size));
  }
  if (last === undefined || isOpen(last)) return read.following;
  read.lastAt ??= now;
  return follow(read.following, last, options, read.lastAt);
}

/** Nothing has come of the calls at the end yet, so what was judged before still holds. */
function isOpen(round: Round): boolean {
  return round.type === 'reply' && round.isOpen;
}
