import {
  getConversation,
  getUnpausedTurn,
  type ToolOutcome,
  type Session,
  type TurnState,
  getLastItem,
  toItemArray,
} from '@pawl/core';

/** The session before an event, if it is known, and after it. */
export type SessionTransition = { readonly before: Session | null; readonly after: Session };

/** Returns the tool of a call and its start time; null if the sessions do not contain the call. */
export function findCalledTool(
  callId: string,
  { before, after }: SessionTransition,
): { readonly tool: string; readonly startedAt: number | null } | null {
  return (
    (before === null ? null : findTurnCall(before.turn, callId)) ??
    findTurnCall(after.turn, callId) ??
    findLastCall(after, callId)
  );
}

/** Lists calls denied without a prompt: by a rule, the mode, the governor or a budget. */
export function listDeniedCalls({ before, after }: SessionTransition): readonly {
  readonly callId: string;
  readonly tool: string;
  readonly reason: string;
}[] {
  const turn = getUnpausedTurn(after.turn);
  if (turn.status === 'executingTools') {
    return turn.executions.flatMap((each) =>
      each.status === 'completed' ? toDenials(each.call.id, each.call.tool, each.outcome) : [],
    );
  }
  if (turn.status === 'awaitingPermission') {
    return turn.calls.flatMap((each) =>
      each.decision === 'denied' ? toDenials(each.call.id, each.call.tool, each.outcome) : [],
    );
  }
  if (before === null) return [];
  // If no call was left to run, the results are already in the conversation.
  const isLonger = getConversation(after).length > getConversation(before).length + 1;
  const added = isLonger ? toItemArray(getConversation(after)).slice(getConversation(before).length) : [];
  return added.flatMap((message) =>
    message.role === 'tool' ? toDenials(message.callId, message.tool, message.outcome) : [],
  );
}

function toDenials(
  callId: string,
  tool: string,
  outcome: ToolOutcome,
): readonly { readonly callId: string; readonly tool: string; readonly reason: string }[] {
  return !outcome.ok && outcome.error.kind === 'denied'
    ? [{ callId, tool, reason: outcome.error.message }]
    : [];
}

function findTurnCall(
  turn: TurnState,
  callId: string,
): { readonly tool: string; readonly startedAt: number | null } | null {
  const unpaused = getUnpausedTurn(turn);
  if (unpaused.status === 'awaitingPermission') {
    const tool = unpaused.calls.find(({ call }) => call.id === callId)?.call.tool;
    return tool === undefined ? null : { tool, startedAt: null };
  }
  if (unpaused.status !== 'executingTools') return null;
  const execution = unpaused.executions.find(({ call }) => call.id === callId);
  if (execution === undefined) return null;
  return {
    tool: execution.call.tool,
    startedAt: execution.status === 'running' ? execution.startedAt : null,
  };
}

function findLastCall(
  session: Session,
  callId: string,
): { readonly tool: string; readonly startedAt: null } | null {
  const last = getLastItem(getConversation(session));
  return last?.role === 'tool' && last.callId === callId ? { tool: last.tool, startedAt: null } : null;
}
