import {
  conversationOf,
  lastItem,
  toArray,
  unpaused,
  type Outcome,
  type Session,
  type Turn,
} from '@pawl/core';

/** The session before an event, if whoever looks has seen it, and after. */
export type Around = { readonly before: Session | null; readonly after: Session };

/** Which tool a call is of and since when it runs; null where the sessions at hand do not tell. */
export function calledOf(
  callId: string,
  { before, after }: Around,
): { readonly tool: string; readonly startedAt: number | null } | null {
  return (
    (before === null ? null : calledIn(before.turn, callId)) ??
    calledIn(after.turn, callId) ??
    lastCalled(after, callId)
  );
}

/** Calls that were denied before anybody was asked: by a rule, by the mode, by the governor, by a budget. */
export function deniedIn({
  before,
  after,
}: Around): readonly { readonly callId: string; readonly tool: string; readonly reason: string }[] {
  const turn = unpaused(after.turn);
  if (turn.status === 'executingTools') {
    return turn.executions.flatMap((each) =>
      each.status === 'completed' ? denial(each.call.id, each.call.tool, each.outcome) : [],
    );
  }
  if (turn.status === 'awaitingPermission') {
    return turn.calls.flatMap((each) =>
      each.decision === 'denied' ? denial(each.call.id, each.call.tool, each.outcome) : [],
    );
  }
  if (before === null) return [];
  // Where none was left to run, the results are in the conversation already.
  const isLonger = conversationOf(after).length > conversationOf(before).length + 1;
  const added = isLonger ? toArray(conversationOf(after)).slice(conversationOf(before).length) : [];
  return added.flatMap((message) =>
    message.role === 'tool' ? denial(message.callId, message.tool, message.outcome) : [],
  );
}

function denial(
  callId: string,
  tool: string,
  outcome: Outcome,
): readonly { readonly callId: string; readonly tool: string; readonly reason: string }[] {
  return !outcome.ok && outcome.error.kind === 'denied'
    ? [{ callId, tool, reason: outcome.error.message }]
    : [];
}

function calledIn(
  turn: Turn,
  callId: string,
): { readonly tool: string; readonly startedAt: number | null } | null {
  const held = unpaused(turn);
  if (held.status === 'awaitingPermission') {
    const tool = held.calls.find(({ call }) => call.id === callId)?.call.tool;
    return tool === undefined ? null : { tool, startedAt: null };
  }
  if (held.status !== 'executingTools') return null;
  const found = held.executions.find(({ call }) => call.id === callId);
  if (found === undefined) return null;
  return { tool: found.call.tool, startedAt: found.status === 'running' ? found.startedAt : null };
}

function lastCalled(
  session: Session,
  callId: string,
): { readonly tool: string; readonly startedAt: null } | null {
  const last = lastItem(conversationOf(session));
  return last?.role === 'tool' && last.callId === callId ? { tool: last.tool, startedAt: null } : null;
}
