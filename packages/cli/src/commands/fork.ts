import { isTerminalSession, step, type Event, type Session } from '@pawl/core';
import {
  createStoreEventLog,
  forkStoredSession,
  getProcessOwner,
  type LogPosition,
  type Store,
} from '@pawl/runtime';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import type { CommandIo } from '../command-io.ts';
import { UsageError } from '../usage-error.ts';
import { sanitizeOneLine } from '../sanitize-text.ts';
import { findSession } from './find-session.ts';
import { parseWholeNumberOption } from './number-options.ts';
import { withSessionStore, type SessionFlags } from './session-store.ts';
import { formatStatus } from './session-ending.ts';

export type ForkSessionOptions = SessionFlags & {
  readonly at?: string | undefined;
  readonly say?: string | undefined;
};

/** Creates a session that shares another session's history up to an event. */
export function runFork(word: string, options: ForkSessionOptions, io: CommandIo): Promise<ExitCode> {
  const { say, json } = options;
  if (say?.trim() === '') throw new UsageError('--say needs something to say.');
  return withSessionStore(options, async (store) => {
    const { id, head } = await findSession(store, word, options.dir);
    const at = options.at === undefined ? head : parseWholeNumberOption('--at', options.at, 0);
    if (at > head) {
      throw new UsageError(`Session ${JSON.stringify(id)} has ${head} events; --at ${at} is beyond its end.`);
    }
    const { session } = await store.open(id, { at });
    if (isTerminalSession(session)) throw createEndedForkError(session, at);
    const newId = crypto.randomUUID();
    const position = await forkStoredSession(store, id, {
      at,
      newId,
      owner: getProcessOwner(),
      now: Date.now(),
    });
    if (say !== undefined) await appendUserMessage(store, newId, position, say);
    const waits = say === undefined && session.turn.status === 'waitingForUser';
    const made = `Made ${newId} from event ${at} of ${JSON.stringify(id)}.`;
    const next = `Go on with: pawl resume ${newId}${waits ? ' "what is to be done next"' : ''}`;
    io.stdout.write(
      `${json === true ? JSON.stringify({ id: newId, parent: { id, at } }) : `${sanitizeOneLine(made)}\n${next}`}\n`,
    );
    return exitCodes.finished;
  });
}

function createEndedForkError({ turn }: Session, at: number): UsageError {
  return new UsageError(
    `After event ${at} the session has ended (${formatStatus(turn.status)}): nothing can go on from there. Give an earlier --at.`,
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
  const take = async (event: Event): Promise<void> => {
    const after = step(session, event).session;
    if (after.seq > session.seq) await log.append([event], after);
    session = after;
  };
  if (session.turn.status === 'paused') await take({ type: 'resume-requested', at });
  if (session.turn.status !== 'waitingForUser') {
    await take({ type: 'cancel-requested', at, reason: 'the session goes another way from here' });
  }
  await take({ type: 'user-message', at, text });
}
