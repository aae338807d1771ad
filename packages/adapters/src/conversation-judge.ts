import type { Json } from '@pawl/core';
import { createConversationState, applyRound, type ConversationState } from './conversation-state.ts';
import { toGovernorDecision, type GovernorDecision, type RequestFeatures } from './governor-decision.ts';
import type { GovernOptions } from './options.ts';
import { splitRounds } from './rounds.ts';

/** Judges conversations by all their messages but reads only new ones. */
export type ConversationJudge<Message> = (
  messages: readonly Message[],
  features?: RequestFeatures,
) => GovernorDecision;

/** How far a conversation has been read. Its last round is read again, because more results may have joined it. */
type ReadPosition<Message> = {
  readonly first: Message | undefined;
  /** The messages of all rounds but the last. */
  readonly settled: Message[];
  following: ConversationState;
  /** When the last round was first seen; null if it has not been. */
  lastAt: number | null;
  /** The round whose verdict was last reported. */
  toldAt: number;
};

/** Number of conversations cached. Others are read from the start: slower, with the same decision. */
const readPositionsMax = 16;

/**
 * Creates a judge that continues from the cached position of the conversation that the messages extend, and otherwise
 * reads from the start; either way the decision depends on all messages. `toJson` is for hosts whose messages are not
 * plain JSON.
 */
export function createConversationJudge<Message extends object>(
  options: GovernOptions,
  toJson: (message: Message) => Json,
): ConversationJudge<Message> {
  let reads: readonly ReadPosition<Message>[] = [];
  return (messages, features) => {
    const read = findLongestRead(reads, messages) ?? createReadPosition(messages, options);
    reads = [read, ...reads.filter((each) => each !== read).slice(0, readPositionsMax - 1)];
    const following = readNewMessages(read, messages, options, toJson);
    if (following.verdict !== null && read.toldAt < following.rounds) {
      read.toldAt = following.rounds;
      options.onVerdict?.(following.verdict);
    }
    return toGovernorDecision(following, features);
  };
}

function createReadPosition<Message>(
  messages: readonly Message[],
  options: GovernOptions,
): ReadPosition<Message> {
  return {
    first: messages[0],
    settled: [],
    following: createConversationState(options),
    lastAt: null,
    toldAt: 0,
  };
}

/** Finds the position that these messages extend, and the furthest of several. */
function findLongestRead<Message>(
  reads: readonly ReadPosition<Message>[],
  messages: readonly Message[],
): ReadPosition<Message> | undefined {
  return reads
    .filter(({ first, settled }) => settled.length <= messages.length && isDeepEqual(first, messages[0]))
    .toSorted((a, b) => b.settled.length - a.settled.length)
    .find(({ settled }) => settled.every((message, index) => isDeepEqual(message, messages[index])));
}

function readNewMessages<Message>(
  read: ReadPosition<Message>,
  messages: readonly Message[],
  options: GovernOptions,
  toJson: (message: Message) => Json,
): ConversationState {
  const now = options.now?.() ?? null;
  const rounds = [...splitRounds(messages.slice(read.settled.length).map(toJson))];
  const last = rounds.pop();
  for (const round of rounds) {
    read.following = applyRound(read.following, round, options, read.lastAt ?? now);
    read.lastAt = null;
    read.settled.push(...messages.slice(read.settled.length, read.settled.length + round.size));
  }
  // While the calls at the end have no results, the previous decision still holds.
  if (last === undefined || (last.type === 'reply' && last.isOpen)) return read.following;
  read.lastAt ??= now;
  return applyRound(read.following, last, options, read.lastAt);
}

/** Values nested deeper than this count as different, which only costs time. */
const comparedDepthMax = 24;

/**
 * Whether two values are deeply equal. Hosts copy messages between steps; copies share their strings, so this is fast.
 */
function isDeepEqual(a: unknown, b: unknown, depth = 0): boolean {
  if (Object.is(a, b)) return true;
  if (!isObjectValue(a) || !isObjectValue(b) || depth === comparedDepthMax) return false;
  const keys = Object.keys(a);
  return (
    Array.isArray(a) === Array.isArray(b) &&
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && isDeepEqual(a[key], b[key], depth + 1))
  );
}

function isObjectValue(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
