import { getUnpausedTurn, type ToolCall, type Session } from '@pawl/core';
import type { SessionCommand } from '@pawl/runtime/commands';
import { UsageError } from '../../exit-codes.ts';
import { sanitizeOneLine } from '../../output/sanitize-text.ts';
import { parseWholeNumberOption } from '../../options/number-options.ts';
import type { CommandInput } from './action.ts';
import { sessionCommandUsage, type SessionCommandName } from './session-commands.ts';

/** Parses command-line words to a command for the session in its current state. */
export function parseSessionCommand(
  input: CommandInput,
  session: Session,
  reason: string | undefined,
): SessionCommand {
  if (!Object.hasOwn(commandParsers, input.what)) {
    const known = Object.keys(sessionCommandUsage).join(', ');
    throw new UsageError(
      `Unknown command ${JSON.stringify(sanitizeOneLine(input.what))}. Available: ${known}.`,
    );
  }
  return commandParsers[input.what as SessionCommandName](input, session, reason);
}

type CommandParser = (input: CommandInput, session: Session, reason: string | undefined) => SessionCommand;

const commandParsers: Readonly<Record<SessionCommandName, CommandParser>> = {
  say: (input) => ({ kind: 'say', text: parseCommandText(input) }),
  allow: createDecisionParser('allow'),
  deny: createDecisionParser('deny'),
  pause: createRequestParser('pause'),
  resume: (input) => requireNoWords(input, { kind: 'resume' }),
  finish: createRequestParser('finish'),
  cancel: (input, _, reason) => requireNoWords(input, { kind: 'cancel', ...toReasonField(reason) }),
  halt: createRequestParser('halt'),
  phase: ({ what, words: [number = '', ...words] }) => ({
    kind: 'phase',
    number: parseWholeNumberOption('The phase number', number, 1),
    description: parseCommandText({ what, words }),
  }),
  pin: (input) => ({ kind: 'memory', action: 'pin', key: parseCommandText(input) }),
  unpin: (input) => ({ kind: 'memory', action: 'unpin', key: parseCommandText(input) }),
  evict: (input) => ({ kind: 'memory', action: 'evict', key: parseCommandText(input) }),
};

function createDecisionParser(decision: 'allow' | 'deny'): CommandParser {
  return (input, session, reason) => ({
    kind: 'decide',
    decision,
    ...findPermissionTarget(session, parseSingleWord(input)),
    ...toReasonField(reason),
  });
}

function createRequestParser(kind: 'pause' | 'finish' | 'halt'): CommandParser {
  return (input, _, reason = 'requested by the user') => requireNoWords(input, { kind, reason });
}

function toReasonField(reason: string | undefined): { readonly reason?: string } {
  return reason === undefined ? {} : { reason };
}

function parseCommandText({ what, words }: CommandInput): string {
  const text = words.join(' ').trim();
  if (text === '')
    throw new UsageError(`${what} requires ${sessionCommandUsage[what as SessionCommandName]}.`);
  return text;
}

function requireNoWords({ what, words }: CommandInput, command: SessionCommand): SessionCommand {
  if (words.length === 0) return command;
  throw new UsageError(`${what} takes no arguments. Use --reason to give a reason.`);
}

function parseSingleWord({ what, words: [first, another] }: CommandInput): string | null {
  if (another === undefined) return first ?? null;
  throw new UsageError(`${what} takes one call id. Use --reason to give a reason.`);
}

type PermissionTarget = { readonly callId: string; readonly request?: number };

/**
 * Finds the call to decide on: the named one, or the only pending one. The request number prevents the decision from
 * applying to a later call.
 */
function findPermissionTarget({ id, turn }: Session, callId: string | null): PermissionTarget {
  const activeTurn = getUnpausedTurn(turn);
  const permissionTurn = activeTurn.status === 'awaitingPermission' ? activeTurn : null;
  const pending = (permissionTurn?.calls ?? []).filter(({ decision }) => decision === 'pending');
  const calls = pending.map(({ call }) => call);
  if (permissionTurn === null || calls.length === 0)
    throw new UsageError(`Session ${id} has no pending calls.`);
  const [only, another] = calls;
  if (callId === null && only !== undefined && another === undefined)
    return { callId: only.id, request: permissionTurn.request };
  const match = calls.find((call) => call.id === callId);
  if (match !== undefined) return { callId: match.id, request: permissionTurn.request };
  const problem =
    callId === null
      ? 'several pending calls. Name one of'
      : `no pending call ${JSON.stringify(sanitizeOneLine(callId))}. Pending`;
  throw new UsageError(`Session ${id} has ${problem}: ${calls.map(formatPendingCall).join(', ')}.`);
}

function formatPendingCall({ id, tool }: ToolCall): string {
  return `${sanitizeOneLine(id)} (${sanitizeOneLine(tool)})`;
}
