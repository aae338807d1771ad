import { appendItem, type ConversationHistory, appendItems } from '../conversation/conversation.ts';
import type { ToolCall, ConversationMessage, ToolOutcome, ToolError } from '../conversation/message.ts';
import type { ModelReplied, PartialOutput, ReplyKind, RequestedCall } from '../session/event.ts';
import { hasLogPatch, logPatches } from '../session/log-version.ts';
import type { Session } from '../session/session.ts';
import { getAgenda, appendSteering } from './agenda.ts';
import type { CallExecution, PermissionCall, TurnState } from '../session/turn-state.ts';

export function isAllowedCall({ permission = 'allow' }: RequestedCall): boolean {
  return permission === 'allow';
}

export function toPermissionCalls(
  calls: readonly ToolCall[],
  requested: readonly RequestedCall[],
): PermissionCall[] {
  return calls.map((call, index) => {
    const { permission, denialReason } = requested[index] ?? {};
    switch (permission) {
      case 'ask':
        return { decision: 'pending', call };
      case 'deny':
        return {
          decision: 'denied',
          call,
          outcome: createFailedOutcome('denied', denialReason ?? 'A rule does not allow this call.'),
        };
      case 'allow':
      case undefined:
        return { decision: 'allowed', call };
    }
  });
}

export function toExecution(decided: PermissionCall): CallExecution {
  return decided.decision === 'denied'
    ? { status: 'completed', call: decided.call, outcome: decided.outcome }
    : { status: 'pending', call: decided.call };
}

/**
 * Appends the assistant message, unless it has neither text nor calls, because such a message cannot be sent to a
 * model.
 */
export function appendReply(
  conversation: ConversationHistory<ConversationMessage>,
  reply: { readonly text: string; readonly calls: readonly ToolCall[]; readonly at: number },
): ConversationHistory<ConversationMessage> {
  const { text, calls, at } = reply;
  if (text === '' && calls.length === 0) return conversation;
  return appendItem(conversation, { role: 'assistant', at, text, calls });
}

/** Appends the results of a tool round, one per call and in call order. */
export function appendResults(
  conversation: ConversationHistory<ConversationMessage>,
  executions: readonly CallExecution[],
  at: number,
  outputs?: PartialOutput['outputs'],
): ConversationHistory<ConversationMessage> {
  let result = conversation;
  for (const execution of executions) {
    const { id: callId, tool } = execution.call;
    const output = outputs !== undefined && Object.hasOwn(outputs, callId) ? outputs[callId] : undefined;
    result = appendItem(result, {
      role: 'tool',
      at,
      callId,
      tool,
      outcome: getExecutionOutcome(execution, output),
    });
  }
  return result;
}

/**
 * Returns the state's conversation with a result for every open call and with pending steering, so that it can be sent
 * to a model.
 */
export function closeConversation(
  turn: TurnState,
  at: number,
  partial?: PartialOutput,
): ConversationHistory<ConversationMessage> {
  return appendSteering(closeOpenWork(turn, at, partial), getAgenda(turn), at);
}

function closeOpenWork(
  turn: TurnState,
  at: number,
  partial: PartialOutput | undefined,
): ConversationHistory<ConversationMessage> {
  switch (turn.status) {
    case 'callingModel':
      return partial?.reply === undefined || partial.reply.request !== turn.request
        ? turn.conversation
        : appendItem(turn.conversation, {
            role: 'assistant',
            at,
            text: `${partial.reply.text}\n\n[Interrupted by the user.]`,
            calls: [],
            isInterrupted: true,
          });
    case 'executingTools':
      return appendResults(turn.conversation, turn.executions, at, partial?.outputs);
    case 'awaitingPermission':
      return appendItems(
        turn.conversation,
        turn.calls.map((each) => createUndecidedResult(each, at)),
      );
    case 'paused':
      return closeOpenWork(turn.held, at, partial);
    default:
      return turn.conversation;
  }
}

export function createFailedOutcome(kind: ToolError['kind'], message: string): ToolOutcome {
  return { ok: false, error: { kind, message } };
}

const interruptedCallText = 'Called off while running: it may have run fully, partly or not at all.';
const interruptedCallOutcome = createFailedOutcome('interrupted', interruptedCallText);

/**
 * An ephemeral progress report does not prove a start, because replaying the log without it must give the same result.
 */
const neverStartedCallOutcome = createFailedOutcome('cancelled', 'Called off; no start of it is on record.');

function getExecutionOutcome(execution: CallExecution, output = ''): ToolOutcome {
  switch (execution.status) {
    case 'completed':
      return execution.outcome;
    case 'running':
      if (execution.startedAt === null) return neverStartedCallOutcome;
      return output === ''
        ? interruptedCallOutcome
        : createFailedOutcome('interrupted', `${interruptedCallText} Output so far:\n${output}`);
    case 'pending':
      return neverStartedCallOutcome;
    default:
      return execution satisfies never;
  }
}

function createUndecidedResult(permission: PermissionCall, at: number): ConversationMessage {
  const call: ToolCall = permission.call;
  const outcome =
    permission.decision === 'denied'
      ? permission.outcome
      : createFailedOutcome('cancelled', 'Called off before it was decided whether it may run.');
  return { role: 'tool', at, callId: call.id, tool: call.tool, outcome };
}

/**
 * Returns the kind of a reply. Calls are always an action; a reply of text alone is an answer unless it is marked as a
 * thought. Sessions of older log versions know no thoughts.
 */
export function getReplyKind(session: Session, { kind, calls, problem }: ModelReplied): ReplyKind {
  if (problem !== undefined) return 'unreadable';
  if (calls.length > 0) return 'action';
  return kind === 'thought' && hasLogPatch(session, logPatches.seedsInSessions) ? 'thought' : 'answer';
}
