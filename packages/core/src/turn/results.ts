import { append, appendAll, type Conversation } from '../conversation/conversation.ts';
import type { Call, Message, Outcome, ToolError } from '../conversation/message.ts';
import { agendaOf } from './agenda.ts';
import { withSaid } from './said.ts';
import type { Execution, PermissionCall, Turn } from './state.ts';

/** Adds the results of a round of calls, one for each call and in call order. */
export function withResults(
  conversation: Conversation<Message>,
  executions: readonly Execution[],
  at: number,
): Conversation<Message> {
  let result = conversation;
  for (const execution of executions) {
    const { id: callId, tool } = execution.call;
    result = append(result, { role: 'tool', at, callId, tool, outcome: outcomeOf(execution) });
  }
  return result;
}

/**
 * The conversation of a state, with a result for every call that is still open, and with what a person said meanwhile: fit to
 * be sent to a model.
 */
export function closedConversation(turn: Turn, at: number): Conversation<Message> {
  return withSaid(withoutOpenCalls(turn, at), agendaOf(turn), at);
}

function withoutOpenCalls(turn: Turn, at: number): Conversation<Message> {
  switch (turn.status) {
    case 'executingTools':
      return withResults(turn.conversation, turn.executions, at);
    case 'awaitingPermission':
      return appendAll(
        turn.conversation,
        turn.calls.map((each) => unasked(each, at)),
      );
    case 'paused':
      return withoutOpenCalls(turn.held, at);
    default:
      return turn.conversation;
  }
}

export function failure(kind: ToolError['kind'], message: string): Outcome {
  return { ok: false, error: { kind, message } };
}

const interrupted = failure(
  'interrupted',
  'Called off while running: it may have run fully, partly or not at all.',
);

/** An ephemeral progress report is no record of a start: the log must tell the same story without it. */
const neverStarted = failure('cancelled', 'Called off; no start of it is on record.');

function outcomeOf(execution: Execution): Outcome {
  switch (execution.status) {
    case 'completed':
      return execution.outcome;
    case 'running':
      return execution.startedAt === null ? neverStarted : interrupted;
    case 'pending':
      return neverStarted;
    default:
      return execution satisfies never;
  }
}

function unasked(permission: PermissionCall, at: number): Message {
  const call: Call = permission.call;
  const outcome =
    permission.decision === 'denied'
      ? permission.outcome
      : failure('cancelled', 'Called off before it was decided whether it may run.');
  return { role: 'tool', at, callId: call.id, tool: call.tool, outcome };
}
