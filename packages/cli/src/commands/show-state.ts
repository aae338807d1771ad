import {
  conversationOf,
  durableView,
  entriesOf,
  lastItem,
  phaseLine,
  phaseProgress,
  tokensOf,
  unpaused,
  type Message,
  type Session,
} from '@pawl/core';
import { stateHash } from '@pawl/runtime';
import { visibleLine } from '../visible.ts';
import { statusText } from './show-ending.ts';
import { clockTime } from './show-time.ts';
import { callText, outcomeText } from './show-timeline.ts';
import { fit } from './columns.ts';

/** A session at some event, as one JSON object with all that is in it. */
export function stateJson(session: Session): string {
  return JSON.stringify({
    type: 'state',
    seq: session.seq,
    stateHash: stateHash(session),
    session: durableView(session),
  });
}

/** The same in a few lines. */
export function stateLines(session: Session, width: number): readonly string[] {
  const { turn, seq } = session;
  const conversation = conversationOf(session);
  const last = lastItem(conversation);
  return [
    `After event ${seq} it ${statusText(turn.status)}, since ${clockTime(turn.since)}.`,
    ...row(
      'messages',
      `${conversation.length}${last === undefined ? '' : `, the last ${messageText(last)}`}`,
    ),
    ...workLines(session),
    ...placeLines(session),
    ...row('hash', stateHash(session)),
  ].map((line) => fit(line, width));
}

function workLines({ turn }: Session): readonly string[] {
  const held = unpaused(turn);
  const paused = turn.status === 'paused' ? row('paused', turn.reason) : [];
  switch (held.status) {
    case 'executingTools':
      return [
        ...paused,
        ...held.executions.flatMap(({ status, call }) => row(status, callText(call, call.id))),
      ];
    case 'awaitingPermission':
      return [
        ...paused,
        ...held.calls.flatMap(({ decision, call }) => row(decision, callText(call, call.id))),
      ];
    case 'callingModel': {
      const { advice, finish } = held.ask;
      return [
        ...paused,
        ...row('retries', String(held.retries)),
        ...row('advice', advice ?? ''),
        ...row('last answer', finish?.reason ?? ''),
      ];
    }
    case 'errorRecovery':
      return [...paused, ...row('recovers from', held.origin)];
    case 'halted':
      return row('why', held.why.reason);
    default:
      return paused;
  }
}

function placeLines({ phases, mode, memory, governor, turn }: Session): readonly string[] {
  const hasPhases = phases.current !== null || phases.completed.length > 0;
  const refused = governor.refused.length;
  return [
    ...(hasPhases ? row('phase', phaseLine(phaseProgress(phases, turn.since))) : []),
    ...(mode === null ? [] : row('mode', mode.state)),
    ...(memory === null
      ? []
      : row('memory', `${tokensOf(memory)} tokens in ${[...entriesOf(memory)].length} entries`)),
    ...(refused === 0 ? [] : row('refused', `${refused} calls are not run again for now`)),
  ];
}

function messageText(message: Message): string {
  switch (message.role) {
    case 'user':
      return `from the user: ${message.text}`;
    case 'assistant':
      return `from the model: ${message.text === '' ? message.calls.map(({ tool }) => tool).join(', ') : message.text}`;
    case 'tool':
      return `from ${message.tool}: ${outcomeText(message.outcome)}`;
    default:
      return message satisfies never;
  }
}

function row(name: string, text: string): readonly string[] {
  return text === '' ? [] : [`  ${name.padEnd(13)}  ${visibleLine(text)}`];
}
