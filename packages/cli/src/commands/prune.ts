import type { SessionSummary } from '@pawl/runtime';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import type { Io } from '../io.ts';
import { visibleLine } from '../visible.ts';
import { removeAgreed, runsNow } from './rm.ts';
import { allSessions, sessionsMeant } from './session-named.ts';
import { spanOf, wholeNumber } from './option-number.ts';
import { withStore, type SessionFlags } from './session-store.ts';
import { dateTime } from './show-time.ts';
import { fit } from './columns.ts';
import { counted } from './number-text.ts';

export type PruneOptions = SessionFlags & {
  readonly all?: boolean | undefined;
  readonly olderThan?: string | undefined;
  readonly keep?: string | undefined;
  readonly dryRun?: boolean | undefined;
  readonly yes?: boolean | undefined;
};

const ageUsual = '30d';

/** Removes old sessions: those older than so long, and all but the newest so many. One that runs now always stays. */
export function pruneSessions(
  options: PruneOptions,
  io: Io,
  now: () => number = Date.now,
): Promise<ExitCode> {
  const isOld = oldOnes(options, now());
  return withStore(options, async (store) => {
    const all = await allSessions(store);
    const meant = sessionsMeant(all, options);
    const old = meant.filter((session, index) => isOld(session, index) && !runsNow(session));
    if (old.length === 0) {
      io.stderr.write(`Nothing to remove: ${counted(meant.length, 'session')} looked at.\n`);
      return exitCodes.finished;
    }
    if (options.dryRun !== true) return removeAgreed(store, old, options, io);
    for (const session of old) {
      io.stdout.write(`${options.json === true ? JSON.stringify(told(session)) : line(session)}\n`);
    }
    return exitCodes.finished;
  });
}

/** The list is ordered by age, so the place in it tells how many are newer. With nothing said, age alone decides. */
function oldOnes(
  { olderThan, keep }: PruneOptions,
  now: number,
): (session: SessionSummary, index: number) => boolean {
  const kept = keep === undefined ? 0 : wholeNumber('--keep', keep, 0);
  const age = olderThan ?? (keep === undefined ? ageUsual : null);
  const before = age === null ? Infinity : now - spanOf('--older-than', age);
  return ({ updatedAt }, index) => index >= kept && updatedAt < before;
}

function told({ id, updatedAt, goal }: SessionSummary) {
  return { id, removed: false, updatedAt, goal };
}

function line({ id, updatedAt, goal }: SessionSummary): string {
  return `Would remove ${visibleLine(id)}  ${dateTime(updatedAt)}  ${fit(goal ?? 'no goal yet', 60)}`;
}
