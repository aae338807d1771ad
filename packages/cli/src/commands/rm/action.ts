import { type ExitCode, UsageError } from '../../output/exit-codes.ts';
import type { CommandIo } from '../../output/command-io.ts';
import { findSession } from '../../sessions/find-session.ts';
import { isOwnedAndRunning, removeConfirmedSessions } from '../../sessions/remove-sessions.ts';
import { withSessionStore, type SessionFlags } from '../../sessions/store-option.ts';

export type RemoveSessionsOptions = SessionFlags & {
  readonly yes?: boolean | undefined;
  readonly force?: boolean | undefined;
};

/** Removes sessions permanently. All ids are resolved and checked before the first session is removed. */
export function removeSessions(
  sessionRefs: readonly string[],
  options: RemoveSessionsOptions,
  io: CommandIo,
): Promise<ExitCode> {
  return withSessionStore(options, async (store) => {
    const matches = await Promise.all(
      sessionRefs.map((sessionRef) => findSession(store, sessionRef, options.dir)),
    );
    const sessions = [...new Map(matches.map((session) => [session.id, session])).values()];
    const busy = options.force === true ? undefined : sessions.find(isOwnedAndRunning);
    if (busy !== undefined) {
      throw new UsageError(
        `Session ${JSON.stringify(busy.id)} is running. Stop it first, or use --force to remove it anyway.`,
      );
    }
    return removeConfirmedSessions(store, sessions, options, io);
  });
}
