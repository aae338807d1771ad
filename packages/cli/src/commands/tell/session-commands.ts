import { getUnpausedTurn, type Session, type ToolCall } from '@pawl/core';
import type { SessionCommand } from '@pawl/runtime/commands';
import { parseWholeNumberOption } from '../../options/parse-options.ts';
import { UsageError } from '../../output/exit-codes.ts';
import { sanitizeOneLine } from '../../output/sanitize-text.ts';

/** A command as typed on the command line: `allow call_1`. */
export type CommandInput = { readonly what: string; readonly words: readonly string[] };

type CommandParser = (input: CommandInput, session: Session, reason: string | undefined) => SessionCommand;

/** The commands of `pawl tell`: their arguments, and how these are parsed. */
export const sessionCommands: Readonly<
  Record<string, { readonly usage: string; readonly parse: CommandParser }>
> = {
  say: { usage: '<text>', parse: (input) => ({ kind: 'say', text: parseCommandText(input) }) },
  allow: { usage: '[call]', parse: createDecisionParser('allow') },
  deny: { usage: '[call]', parse: createDecisionParser('deny') },
  pause: { usage: '', parse: createRequestParser('pause') },
  resume: { usage: '', parse: (input) => requireNoWords(input, { kind: 'resume' }) },
  finish: { usage: '', parse: createRequestParser('finish') },
  cancel: {
    usage: '',
    parse: (input, _, reason) => requireNoWords(input, { kind: 'cancel', ...toReasonField(reason) }),
  },
  halt: { usage: '', parse: createRequestParser('halt') },
  phase: {
    usage: '<number> <description>',
    parse: ({ what, words: [number = '', ...words] }) => ({
      kind: 'phase',
      number: parseWholeNumberOption('The phase number', number, 1),
      description: parseCommandText({ what, words }),
    }),
  },
  pin: {
    usage: '<key>',
    parse: (input) => ({ kind: 'memory', action: 'pin', key: parseCommandText(input) }),
  },
  unpin: {
    usage: '<key>',
    parse: (input) => ({ kind: 'memory', action: 'unpin', key: parseCommandText(input) }),
  },
  evict: {
    usage: '<key>',
    parse: (input) => ({ kind: 'memory', action: 'evict', key: parseCommandText(input) }),
  },
};

/** Parses command-line words to a command for the session in its current state. */
export function parseSessionCommand(
  input: CommandInput,
  session: Session,
  reason: string | undefined,
): SessionCommand {
  const command = Object.hasOwn(sessionCommands, input.what) ? sessionCommands[input.what] : undefined;
  if (command === undefined) {
    const known = Object.keys(sessionCommands).join(', ');
    throw new UsageError(
      `Unknown command ${JSON.stringify(sanitizeOneLine(input.what))}. Available: ${known}.`,
    );
  }
  return command.parse(input, session, reason);
}

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
  if (text === '') throw new UsageError(`${what} requires ${sessionCommands[what]?.usage ?? ''}.`);
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
