import { computePhaseProgress, formatPhaseLine } from '@pawl/core/phases';
import { countMemoryTokens, listEntries } from '@pawl/core/memory';
import {
  getConversation,
  toDurableSession,
  getUnpausedTurn,
  type ConversationMessage,
  type Session,
  getLastItem,
} from '@pawl/core';
import { formatCall, formatOutcome } from '@pawl/core/projections';
import { computeStateHash } from '@pawl/runtime/store';
import { sanitizeOneLine } from '../../output/sanitize-text.ts';
import { formatStatus } from '../../sessions/session-ending.ts';
import { formatClockTime } from '../../output/format-time.ts';
import { truncateColumns } from '../../output/columns.ts';

/** Converts a session at some event to one JSON object with its full state. */
export function toStateJson(session: Session): string {
  return JSON.stringify({
    type: 'state',
    seq: session.seq,
    stateHash: computeStateHash(session),
    session: toDurableSession(session),
  });
}

/** Formats the session state in a few lines. */
export function formatSessionState(session: Session, width: number): readonly string[] {
  const { turn, seq } = session;
  const conversation = getConversation(session);
  const last = getLastItem(conversation);
  return [
    `After event ${seq}: ${formatStatus(turn.status)} since ${formatClockTime(turn.since)}`,
    ...formatStateRow(
      'messages',
      `${conversation.length}${last === undefined ? '' : `, the last ${describeMessage(last)}`}`,
    ),
    ...formatTurnDetails(session),
    ...formatProgressDetails(session),
    ...formatStateRow('hash', computeStateHash(session)),
  ].map((line) => truncateColumns(line, width));
}

function formatTurnDetails({ turn }: Session): readonly string[] {
  const activeTurn = getUnpausedTurn(turn);
  const paused = turn.status === 'paused' ? formatStateRow('paused', turn.reason) : [];
  switch (activeTurn.status) {
    case 'executingTools':
      return [
        ...paused,
        ...activeTurn.executions.flatMap(({ status, call }) =>
          formatStateRow(status, formatCall(call, call.id)),
        ),
      ];
    case 'awaitingPermission':
      return [
        ...paused,
        ...activeTurn.calls.flatMap(({ decision, call }) =>
          formatStateRow(decision, formatCall(call, call.id)),
        ),
      ];
    case 'callingModel': {
      const { advice, finish } = activeTurn.ask;
      return [
        ...paused,
        ...formatStateRow('retries', String(activeTurn.retries)),
        ...formatStateRow('advice', advice ?? ''),
        ...formatStateRow('final answer', finish?.reason ?? ''),
      ];
    }
    case 'errorRecovery':
      return [...paused, ...formatStateRow('recovering', activeTurn.origin)];
    case 'halted':
      return formatStateRow('reason', activeTurn.haltReason.reason);
    default:
      return paused;
  }
}

function formatProgressDetails({ phases, mode, memory, governor, turn }: Session): readonly string[] {
  const hasPhases = phases.current !== null || phases.completed.length > 0;
  const refused = governor.blockedCalls.length;
  return [
    ...(hasPhases ? formatStateRow('phase', formatPhaseLine(computePhaseProgress(phases, turn.since))) : []),
    ...(mode === null ? [] : formatStateRow('mode', mode.state)),
    ...(memory === null
      ? []
      : formatStateRow(
          'memory',
          `${countMemoryTokens(memory)} tokens in ${[...listEntries(memory)].length} entries`,
        )),
    ...(refused === 0 ? [] : formatStateRow('refused', `${refused} calls are currently blocked`)),
  ];
}

function describeMessage(message: ConversationMessage): string {
  switch (message.role) {
    case 'user':
      return `from the user: ${message.text}`;
    case 'assistant':
      return `from the model: ${message.text === '' ? message.calls.map(({ tool }) => tool).join(', ') : message.text}`;
    case 'tool':
      return `from ${message.tool}: ${formatOutcome(message.outcome)}`;
    default:
      return message satisfies never;
  }
}

function formatStateRow(name: string, text: string): readonly string[] {
  return text === '' ? [] : [`  ${name.padEnd(13)}  ${sanitizeOneLine(text)}`];
}
