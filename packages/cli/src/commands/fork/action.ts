import { isClosedSession, step, type Event, type Session } from '@pawl/core';
import { forkStoredSession } from '@pawl/runtime/logs';
import { createStoreEventLog, getProcessOwner, type LogPosition, type Store } from '@pawl/runtime/store';
import { exitCodes, type ExitCode, UsageError } from '../../output/exit-codes.ts';
import type { CommandIo } from '../../output/command-io.ts';
import { sanitizeOneLine } from '../../output/sanitize-text.ts';
import { findSession } from '../../sessions/find-session.ts';
import { parseWholeNumberOption } from '../../options/parse-options.ts';
import { withSessionStore, type SessionFlags } from '../../sessions/store-option.ts';
import { formatStatus } from '../../sessions/session-ending.ts';

export type ForkSessionOptions = SessionFlags & {
  readonly at?: string | undefined;
  readonly say?: string | undefined;
};

/** Creates a session that shares another session's history up to an event. */
export function runFork(name: string, options: ForkSessionOptions, io: CommandIo): Promise<ExitCode> {
  const { say, json } = options;
  if (say?.trim() === '') throw new UsageError('--say needs a non-empty message.');
  return withSessionStore(options, async (store) => {
    const { id, head } = await findSession(store, name, options.dir);
    const at = options.at === undefined ? head : parseWholeNumberOption('--at', options.at, 0);
    if (at > head) {
      throw new UsageError(`Session ${JSON.stringify(id)} has ${head} events; --at ${at} is past its end.`);
    }
    const { session } = await store.open(id, { at });
    if (isClosedSession(session)) throw createEndedForkError(session, at);
    const newId = crypto.randomUUID();
    const position = await forkStoredSession(store, id, {
      at,
      newId,
      owner: getProcessOwner(),
      now: Date.now(),
    });
    if (say !== undefined) await appendUserMessage(store, newId, position, say);
    const needsMessage = say === undefined && session.turn.status === 'waitingForUser';
    const created = `Created session ${newId} from event ${at} of ${JSON.stringify(id)}.`;
    const next = `Continue with: pawl resume ${newId}${needsMessage ? ' "your next message"' : ''}`;
    io.stdout.write(
      `${json === true ? JSON.stringify({ id: newId, parent: { id, at } }) : `${sanitizeOneLine(created)}\n${next}`}\n`,
    );
    return exitCodes.finished;
  });
}

function createEndedForkError({ turn }: Session, at: number): UsageError {
  return new UsageError(
    `The session is closed after event ${at} (${formatStatus(turn.status)}), so it cannot be forked there. Use an earlier --at.`,
  );
}

/** Appends a user message to a session that no process runs; work in progress there is cancelled first. */
async function appendUserMessage(
  store: Store,
  id: string,
  position: LogPosition,
  text: string,
): Promise<void> {
  const log = createStoreEventLog(store, id, position);
  const at = Date.now();
  let { session } = await store.open(id);
  const append = async (event: Event): Promise<void> => {
    const after = step(session, event).session;
    if (after.seq > session.seq) await log.append([event], after);
    session = after;
  };
  if (session.turn.status === 'paused') await append({ type: 'resume-requested', at });
  if (session.turn.status !== 'waitingForUser') {
    await append({ type: 'cancel-requested', at, reason: 'the session was forked here' });
  }
  await append({ type: 'user-message', at, text });
}
