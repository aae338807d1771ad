import { getUnpausedTurn, type ToolCall, type Session } from '@pawl/core';
import type { SessionCommand } from '@pawl/runtime';
import { UsageError } from '../usage-error.ts';
import { sanitizeOneLine } from '../sanitize-text.ts';
import { parseWholeNumberOption } from './number-options.ts';
import type { CommandInput } from './tell.ts';
import { sessionCommandUsage, type SessionCommandName } from './session-commands.ts';

/** Parses command-line words to a command for the session in its current state. */
export function parseSessionCommand(
  told: CommandInput,
  session: Session,
  reason: string | undefined,
): SessionCommand {
  if (!Object.hasOwn(commandParsers, told.what)) {
    const known = Object.keys(sessionCommandUsage).join(', ');
    throw new UsageError(
      `There is no ${JSON.stringify(sanitizeOneLine(told.what))} to tell. There are: ${known}.`,
    );
  }
  return commandParsers[told.what as SessionCommandName](told, session, reason);
}

type CommandParser = (told: CommandInput, session: Session, reason: string | undefined) => SessionCommand;

const commandParsers: Readonly<Record<SessionCommandName, CommandParser>> = {
  say: (told) => ({ kind: 'say', text: parseCommandText(told) }),
  allow: createDecisionParser('allow'),
  deny: createDecisionParser('deny'),
  pause: createRequestParser('pause'),
  resume: (told) => requireNoWords(told, { kind: 'resume' }),
  finish: createRequestParser('finish'),
  cancel: (told, _, reason) => requireNoWords(told, { kind: 'cancel', ...toReasonField(reason) }),
  halt: createRequestParser('halt'),
  phase: ({ what, words: [number = '', ...words] }) => ({
    kind: 'phase',
    number: parseWholeNumberOption('The number of a phase', number, 1),
    description: parseCommandText({ what, words }),
  }),
  pin: (told) => ({ kind: 'memory', action: 'pin', key: parseCommandText(told) }),
  unpin: (told) => ({ kind: 'memory', action: 'unpin', key: parseCommandText(told) }),
  evict: (told) => ({ kind: 'memory', action: 'evict', key: parseCommandText(told) }),
};

function createDecisionParser(decision: 'allow' | 'deny'): CommandParser {
  return (told, session, reason) => ({
    kind: 'decide',
    decision,
    ...findPermissionTarget(session, parseSingleWord(told)),
    ...toReasonField(reason),
  });
}

function createRequestParser(kind: 'pause' | 'finish' | 'halt'): CommandParser {
  return (told, _, reason = 'the user asked for it') => requireNoWords(told, { kind, reason });
}

function toReasonField(reason: string | undefined): { readonly reason?: string } {
  return reason === undefined ? {} : { reason };
}

function parseCommandText({ what, words }: CommandInput): string {
  const text = words.join(' ').trim();
  if (text === '') throw new UsageError(`${what} needs ${sessionCommandUsage[what as SessionCommandName]}.`);
  return text;
}

function requireNoWords({ what, words }: CommandInput, command: SessionCommand): SessionCommand {
  if (words.length === 0) return command;
  throw new UsageError(`${what} takes nothing more; say why with --reason.`);
}

function parseSingleWord({ what, words: [word, another] }: CommandInput): string | null {
  if (another === undefined) return word ?? null;
  throw new UsageError(`${what} takes the id of one call; say why with --reason.`);
}

type PermissionTarget = { readonly callId: string; readonly request?: number };

/**
 * Finds the call to decide on: the named one, or the only pending one. The request number prevents the decision from
 * applying to a later call.
 */
function findPermissionTarget({ id, turn }: Session, word: string | null): PermissionTarget {
  const held = getUnpausedTurn(turn);
  const asked = held.status === 'awaitingPermission' ? held : null;
  const pending = (asked?.calls ?? []).filter(({ decision }) => decision === 'pending');
  const calls = pending.map(({ call }) => call);
  if (asked === null || calls.length === 0) throw new UsageError(`Session ${id} asks about no call now.`);
  const [only, another] = calls;
  if (word === null && only !== undefined && another === undefined)
    return { callId: only.id, request: asked.request };
  const meant = calls.find((call) => call.id === word);
  if (meant !== undefined) return { callId: meant.id, request: asked.request };
  const which =
    word === null ? 'several calls; name one' : `other calls than ${JSON.stringify(sanitizeOneLine(word))}`;
  throw new UsageError(`Session ${id} asks about ${which}: ${calls.map(formatPendingCall).join(', ')}.`);
}

function formatPendingCall({ id, tool }: ToolCall): string {
  return `${sanitizeOneLine(id)} (${sanitizeOneLine(tool)})`;
}
