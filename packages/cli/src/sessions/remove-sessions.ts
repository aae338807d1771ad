import { getOwnerState, type SessionSummary, type Store } from '@pawl/runtime/store';
import { exitCodes, type ExitCode, UsageError } from '../output/exit-codes.ts';
import type { CommandIo } from '../output/command-io.ts';
import { askConfirmation, openTerminalPrompt } from '../output/terminal-prompt.ts';
import { sanitizeOneLine } from '../output/sanitize-text.ts';
import { truncateColumns } from '../output/columns.ts';
import { formatCount } from '../output/format-number.ts';
import { isSessionRunning } from './session-ending.ts';

export type RemovalOptions = { readonly yes?: boolean | undefined; readonly json?: boolean | undefined };

/** Removes sessions that the user confirms; without a terminal to confirm on, removes nothing. */
export async function removeConfirmedSessions(
  store: Store,
  sessions: readonly SessionSummary[],
  { yes, json }: RemovalOptions,
  io: CommandIo,
): Promise<ExitCode> {
  if (yes !== true && !(await confirmRemoval(sessions, io))) {
    io.stderr.write('Nothing was removed.\n');
    return exitCodes.failed;
  }
  for (const { id } of sessions) {
    const removed = await store.remove(id);
    const text = removed ? `Removed ${sanitizeOneLine(id)}.` : `${sanitizeOneLine(id)} was already removed.`;
    io.stdout.write(`${json === true ? JSON.stringify({ id, removed }) : text}\n`);
  }
  return exitCodes.finished;
}

export function isOwnedAndRunning({ status, owner }: SessionSummary): boolean {
  return isSessionRunning({ status }, getOwnerState(owner));
}

/** Maximum number of sessions named in the question. */
const maxListedSessions = 20;

function confirmRemoval(sessions: readonly SessionSummary[], io: CommandIo): Promise<boolean> {
  const terminal = openTerminalPrompt(io);
  const countText = formatCount(sessions.length, 'session');
  if (terminal === null) {
    throw new UsageError(
      `This permanently removes ${countText}, and there is no terminal to confirm on. Use --yes to confirm.`,
    );
  }
  for (const { id, goal } of sessions.slice(0, maxListedSessions)) {
    io.stderr.write(`  ${sanitizeOneLine(id)}  ${truncateColumns(goal ?? 'no goal yet', 60)}\n`);
  }
  if (sessions.length > maxListedSessions)
    io.stderr.write(`  and ${sessions.length - maxListedSessions} more\n`);
  return askConfirmation(terminal, `Remove ${countText} permanently?`);
}
