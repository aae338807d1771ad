import { resolve } from 'node:path';
import { step, taken, type Event, type Session } from '@pawl/core';
import { eventFor, ownerState, StoreError, type SessionCommand, type Store } from '@pawl/runtime';
import type { SessionQueue } from '@pawl/worker';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import type { Io } from '../io.ts';
import { shortId } from '../short-id.ts';
import { UsageError, asUsageError } from '../usage-error.ts';
import { visibleLine } from '../visible.ts';
import { configFor } from './run-config.ts';
import { sessionNamed } from './session-named.ts';
import { withStore, type SessionFlags } from './session-store.ts';
import { commandOf } from './tell-command.ts';
import { isRedis } from '../store-option.ts';

export type TellFlags = SessionFlags & {
  readonly reason?: string | undefined;
};

/** What is asked, as it stands on the command line: `allow call_1`. */
export type Told = { readonly what: string; readonly words: readonly string[] };

/** Asks something of a session, whoever runs it: a person at a terminal, another process, or a worker. */
export async function tell(word: string, told: Told, flags: TellFlags, io: Io): Promise<ExitCode> {
  try {
    return await withPlace(flags, async (place) => {
      const { id } = await sessionNamed(place.store, word, flags.dir);
      const { session, owner } = await expected(place.store, id);
      const command = commandOf(told, session, flags.reason);
      checkFits(session, command);
      const sent = await place.store.commands.send(id, command);
      const runs = (await place.wake(id)) ? 'worker' : ownerState(owner);
      if (flags.json === true) io.stdout.write(`${JSON.stringify({ id, command, sent, runs })}\n`);
      else io.stdout.write(`${visibleLine(sentence(id, runs))}\n`);
      return exitCodes.finished;
    });
  } catch (error) {
    throw asUsageError(error, StoreError);
  }
}

type Place = {
  readonly store: Store;
  /** Has somebody look at a session; resolves to whether there is anybody who does. */
  readonly wake: (id: string) => Promise<boolean>;
};

/** In Redis there may be workers to be woken; elsewhere only one who runs the session already hears it. */
async function withPlace<Result>(flags: TellFlags, work: (place: Place) => Promise<Result>): Promise<Result> {
  const named = flags.store ?? (await configFor(resolve(flags.dir), {}, null)).config.store ?? 'user';
  if (!isRedis(named)) {
    return withStore(flags, (store) => work({ store, wake: async () => false }));
  }
  const { withQueue } = await import('./queue-place.ts');
  return withQueue({ ...flags, store: named }, {}, ({ store, queue }) =>
    work({ store, wake: (id) => wokenBy(queue, id) }),
  );
}

/** A session that was not submitted to workers is none of theirs. */
async function wokenBy(queue: Pick<SessionQueue, 'wake'>, id: string): Promise<boolean> {
  try {
    await queue.wake(id);
    return true;
  } catch (error) {
    if (error instanceof StoreError && error.code === 'invalid') return false;
    throw error;
  }
}

/** The session as it will be when what was asked of it before is done. */
async function expected(
  store: Store,
  id: string,
): Promise<{ readonly session: Session; readonly owner: string }> {
  const { session, owner } = await store.open(id);
  const waiting = await store.commands.waiting(id);
  const after = waiting.reduce(
    (before, { command }) => (command === null ? before : step(before, happening(command)).session),
    session,
  );
  return { session: after, owner };
}

/** What means nothing to the session would be dropped there without a word, so it is said here. */
function checkFits(session: Session, command: SessionCommand): void {
  const fits = taken(step(session, happening(command)));
  if (fits.ok) return;
  throw new UsageError(
    `Session ${session.id} cannot do this now (${fits.state}): ${fits.error}. See how it stands: pawl show ${shortId(session.id)}`,
  );
}

function happening(command: SessionCommand): Event {
  return { ...eventFor(command), at: Date.now() };
}

function sentence(id: string, runs: 'alive' | 'gone' | 'unknown' | 'worker'): string {
  switch (runs) {
    case 'alive':
      return `Kept. The process that runs ${id} carries it out.`;
    case 'worker':
      return `Kept. Whoever holds ${id} carries it out; a worker is woken if nobody does.`;
    case 'unknown':
      return `Kept. If ${id} still runs elsewhere, it is carried out there; if not, go on with: pawl resume ${shortId(id)} --take-over`;
    case 'gone':
      return `Kept, but nobody runs ${id} now. It is carried out by: pawl resume ${shortId(id)}`;
    default:
      return runs satisfies never;
  }
}
