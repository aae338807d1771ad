import { ownerState, type SessionSummary, type Store } from '@pawl/runtime';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import type { Io } from '../io.ts';
import { confirms, terminalOf } from '../terminal.ts';
import { UsageError } from '../usage-error.ts';
import { visibleLine } from '../visible.ts';
import { sessionNamed } from './session-named.ts';
import { withStore, type SessionFlags } from './session-store.ts';
import { isRunning } from './show-ending.ts';
import { fit } from './columns.ts';
import { counted } from './number-text.ts';

export type RemoveOptions = SessionFlags & {
  readonly yes?: boolean | undefined;
  readonly force?: boolean | undefined;
};

/** Removes sessions for good. Which ones are meant, and whether they may go, is settled before the first one goes. */
export function removeSessions(words: readonly string[], options: RemoveOptions, io: Io): Promise<ExitCode> {
  return withStore(options, async (store) => {
    const named = await Promise.all(words.map((word) => sessionNamed(store, word, options.dir)));
    const sessions = [...new Map(named.map((session) => [session.id, session])).values()];
    const busy = options.force === true ? undefined : sessions.find(runsNow);
    if (busy !== undefined) {
      throw new UsageError(
        `Session ${JSON.stringify(busy.id)} is running now. End it first, or say --force to remove it all the same.`,
      );
    }
    return removeAgreed(store, sessions, options, io);
  });
}

/** Removes what the user agrees to. Nothing is removed where there is nobody to agree. */
export async function removeAgreed(
  store: Store,
  sessions: readonly SessionSummary[],
  { yes, json }: RemoveOptions,
  io: Io,
): Promise<ExitCode> {
  if (yes !== true && !(await agrees(sessions, io))) {
    io.stderr.write('Nothing was removed.\n');
    return exitCodes.failed;
  }
  for (const { id } of sessions) {
    const removed = await store.remove(id);
    const text = removed ? `Removed ${visibleLine(id)}.` : `${visibleLine(id)} was gone already.`;
    io.stdout.write(`${json === true ? JSON.stringify({ id, removed }) : text}\n`);
  }
  return exitCodes.finished;
}

export function runsNow({ status, owner }: SessionSummary): boolean {
  return isRunning({ status }, ownerState(owner));
}

/** How many are named in the question. */
const namedMax = 20;

function agrees(sessions: readonly SessionSummary[], io: Io): Promise<boolean> {
  const terminal = terminalOf(io);
  const what = counted(sessions.length, 'session');
  if (terminal === null) {
    throw new UsageError(
      `This removes ${what} for good, and nobody is there to ask. Say --yes if you mean it.`,
    );
  }
  for (const { id, goal } of sessions.slice(0, namedMax)) {
    io.stderr.write(`  ${visibleLine(id)}  ${fit(goal ?? 'no goal yet', 60)}\n`);
  }
  if (sessions.length > namedMax) io.stderr.write(`  and ${sessions.length - namedMax} more\n`);
  return confirms(terminal, `Remove ${what} for good?`);
}
