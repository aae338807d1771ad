import { toItemArray, type ConversationHistory } from '../conversation/conversation.ts';
import type { ConversationMessage, ToolCall } from '../conversation/message.ts';
import type { Event } from '../session/event.ts';
import { getConversation, getUnpausedTurn } from '../session/session-status.ts';
import type { Session } from '../session/session.ts';
import type { TurnState } from '../session/turn-state.ts';
import type { SessionStep } from '../session/session-step.ts';

/*
 * Projections derive what happened in a session from its log. Each is a pure function of replayed steps, so a live view
 * feeds it step by step and a report feeds it a whole log. Consumers choose words, colors and layout only.
 */

/** One event of a log, with the session before it and the result of its step. */
export type ReplayedStep = {
  readonly seq: number;
  readonly event: Event;
  readonly before: Session;
  readonly after: SessionStep;
};

/** Converts the result that an observer of a live session receives. */
export function toReplayedStep(
  before: Session,
  result: SessionStep & { readonly event: Event },
): ReplayedStep {
  return { seq: result.session.seq, event: result.event, before, after: result };
}

/** Whether the session refused the event, so that the event itself had no effect. */
export function isRefusedStep({ after }: Pick<ReplayedStep, 'after'>): boolean {
  return after.notes.some(({ type }) => type === 'refused');
}

/** A call of the current round; `startedAt` is null unless it is running. */
export type CallInProgress = { readonly call: ToolCall; readonly startedAt: number | null };

/** Finds a call that is running, waits to run, or waits for permission. */
export function findCallInProgress(turn: TurnState, callId: string): CallInProgress | null {
  const unpaused = getUnpausedTurn(turn);
  if (unpaused.status === 'awaitingPermission') {
    const match = unpaused.calls.find(({ call }) => call.id === callId);
    return match === undefined ? null : { call: match.call, startedAt: null };
  }
  if (unpaused.status !== 'executingTools') return null;
  const execution = unpaused.executions.find(({ call }) => call.id === callId);
  if (execution === undefined) return null;
  return {
    call: execution.call,
    startedAt: execution.status === 'running' ? execution.startedAt : null,
  };
}

/** Lists the messages that a step appended to the conversation; compaction only removes messages. */
export function listAddedMessages(before: Session, after: Session): readonly ConversationMessage[] {
  const [earlier, later] = [getConversation(before), getConversation(after)];
  return later === earlier ? noMessages : takeLastItems(later, later.length - earlier.length);
}

const noMessages: readonly never[] = [];

/** Reads the newest items without walking the whole tree. */
function takeLastItems<Item>(list: ConversationHistory<Item>, count: number): readonly Item[] {
  if (count <= 0) return noMessages;
  if (count <= list.tail.length) return list.tail.slice(-count);
  // The tail filled up and became a leaf, so the earlier additions are in the last leaf.
  const latest = [...getLastLeaf(list), ...list.tail];
  return count <= latest.length ? latest.slice(-count) : toItemArray(list).slice(-count);
}

function getLastLeaf<Item>({ root, depth }: ConversationHistory<Item>): readonly Item[] {
  let node: readonly unknown[] = root;
  for (let level = depth; level > 0; level -= 1) {
    const last = node.at(-1);
    if (!Array.isArray(last)) return noMessages;
    node = last as readonly unknown[];
  }
  return node as readonly Item[];
}
