import type { SessionSummary } from '@pawl/runtime/store';
import { exitCodes, type ExitCode } from '../../output/exit-codes.ts';
import type { CommandIo } from '../../output/command-io.ts';
import { sanitizeOneLine } from '../../output/sanitize-text.ts';
import { removeConfirmedSessions, isOwnedAndRunning } from '../../sessions/remove-sessions.ts';
import { listAllSessions, selectSessions } from '../../sessions/find-session.ts';
import { parseTimeSpanOption, parseWholeNumberOption } from '../../options/parse-options.ts';
import { withSessionStore, type SessionFlags } from '../../sessions/store-option.ts';
import { formatDateTime } from '../../output/format-time.ts';
import { truncateColumns } from '../../output/columns.ts';
import { formatCount } from '../../output/format-number.ts';

export type PruneOptions = SessionFlags & {
  readonly all?: boolean | undefined;
  readonly olderThan?: string | undefined;
  readonly keep?: string | undefined;
  readonly dryRun?: boolean | undefined;
  readonly yes?: boolean | undefined;
};

const defaultPruneAge = '30d';

/** Removes old sessions: those beyond an age, and all but the newest N. A running session is never removed. */
export function pruneSessions(
  options: PruneOptions,
  io: CommandIo,
  now: () => number = Date.now,
): Promise<ExitCode> {
  const isOld = createPruneFilter(options, now());
  return withSessionStore(options, async (store) => {
    const all = await listAllSessions(store);
    const selected = selectSessions(all, options);
    const old = selected.filter((session, index) => isOld(session, index) && !isOwnedAndRunning(session));
    if (old.length === 0) {
      io.stderr.write(`Nothing to remove: ${formatCount(selected.length, 'session')} checked.\n`);
      return exitCodes.finished;
    }
    if (options.dryRun !== true) return removeConfirmedSessions(store, old, options, io);
    for (const session of old) {
      io.stdout.write(
        `${options.json === true ? JSON.stringify(toPruneJson(session)) : formatPrunedSession(session)}\n`,
      );
    }
    return exitCodes.finished;
  });
}

/**
 * The list is sorted by age, so the index is the number of newer sessions. Without either option, a default age
 * applies.
 */
function createPruneFilter(
  { olderThan, keep }: PruneOptions,
  now: number,
): (session: SessionSummary, index: number) => boolean {
  const keepCount = keep === undefined ? 0 : parseWholeNumberOption('--keep', keep, 0);
  const age = olderThan ?? (keep === undefined ? defaultPruneAge : null);
  const before = age === null ? Infinity : now - parseTimeSpanOption('--older-than', age);
  return ({ updatedAt }, index) => index >= keepCount && updatedAt < before;
}

function toPruneJson({ id, updatedAt, goal }: SessionSummary) {
  return { id, removed: false, updatedAt, goal };
}

function formatPrunedSession({ id, updatedAt, goal }: SessionSummary): string {
  return `Would remove ${sanitizeOneLine(id)}  ${formatDateTime(updatedAt)}  ${truncateColumns(goal ?? 'no goal yet', 60)}`;
}
