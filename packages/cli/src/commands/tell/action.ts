import { resolve } from 'node:path';
import { step, getStepOutcome, type Event, type Session } from '@pawl/core';
import { createCommandEvent, type SessionCommand } from '@pawl/runtime/commands';
import { getOwnerState, StoreError, type Store } from '@pawl/runtime/store';
import type { SessionQueue } from '@pawl/worker';
import { exitCodes, type ExitCode, UsageError, toUsageError } from '../../output/exit-codes.ts';
import type { CommandIo } from '../../output/command-io.ts';
import { shortenId } from '../../output/format-number.ts';
import { sanitizeOneLine } from '../../output/sanitize-text.ts';
import { loadConfig } from '../../options/load-config.ts';
import { findSession } from '../../sessions/find-session.ts';
import { withSessionStore, type SessionFlags, isRedisUrl } from '../../sessions/store-option.ts';
import { parseSessionCommand, type CommandInput } from './session-commands.ts';

export type SessionCommandFlags = SessionFlags & {
  readonly reason?: string | undefined;
};

/** Sends a command to a session, whether a terminal, another process or a worker runs it. */
export async function sendSessionCommand(
  sessionRef: string,
  input: CommandInput,
  flags: SessionCommandFlags,
  io: CommandIo,
): Promise<ExitCode> {
  try {
    return await withCommandTarget(flags, async (target) => {
      const { id } = await findSession(target.store, sessionRef, flags.dir);
      const { session, owner } = await loadExpectedSession(target.store, id);
      const command = parseSessionCommand(input, session, flags.reason);
      requireApplicable(session, command);
      const sent = await target.store.commands.send(id, command);
      const runs = (await target.wake(id)) ? 'worker' : getOwnerState(owner);
      if (flags.json === true) io.stdout.write(`${JSON.stringify({ id, command, sent, runs })}\n`);
      else io.stdout.write(`${sanitizeOneLine(formatDelivery(id, runs))}\n`);
      return exitCodes.finished;
    });
  } catch (error) {
    throw toUsageError(error, StoreError);
  }
}

type CommandTarget = {
  readonly store: Store;
  /** Wakes a worker for the session; resolves to whether workers handle it. */
  readonly wake: (id: string) => Promise<boolean>;
};

/** With Redis, workers can be woken; otherwise only a process that already runs the session receives the command. */
async function withCommandTarget<Result>(
  flags: SessionCommandFlags,
  work: (target: CommandTarget) => Promise<Result>,
): Promise<Result> {
  const named = flags.store ?? (await loadConfig(resolve(flags.dir), {}, null)).config.store ?? 'user';
  if (!isRedisUrl(named)) {
    return withSessionStore(flags, (store) => work({ store, wake: async () => false }));
  }
  const { withQueue } = await import('../../queue/queue-connection.ts');
  return withQueue({ ...flags, store: named }, {}, ({ store, queue }) =>
    work({ store, wake: (id) => wakeWorker(queue, id) }),
  );
}

/** Workers do not handle a session that was not submitted to them. */
async function wakeWorker(queue: Pick<SessionQueue, 'wake'>, id: string): Promise<boolean> {
  try {
    await queue.wake(id);
    return true;
  } catch (error) {
    if (error instanceof StoreError && error.code === 'invalid') return false;
    throw error;
  }
}

/** Loads the session as it will be after the pending commands. */
async function loadExpectedSession(
  store: Store,
  id: string,
): Promise<{ readonly session: Session; readonly owner: string }> {
  const { session, owner } = await store.open(id);
  const pending = await store.commands.listPending(id);
  const after = pending.reduce(
    (before, { command }) => (command === null ? before : step(before, toTimedCommandEvent(command)).session),
    session,
  );
  return { session: after, owner };
}

/** The session would silently drop a command that does not apply, so reject it here. */
function requireApplicable(session: Session, command: SessionCommand): void {
  const outcome = getStepOutcome(step(session, toTimedCommandEvent(command)));
  if (outcome.ok) return;
  throw new UsageError(
    `Session ${session.id} cannot apply this command now (${outcome.state}): ${outcome.error}. Show its state: pawl show ${shortenId(session.id)}`,
  );
}

function toTimedCommandEvent(command: SessionCommand): Event {
  return { ...createCommandEvent(command), at: Date.now() };
}

function formatDelivery(id: string, runs: 'alive' | 'gone' | 'unknown' | 'worker'): string {
  switch (runs) {
    case 'alive':
      return `Queued. The process that runs ${id} will apply it.`;
    case 'worker':
      return `Queued. The worker that runs ${id} will apply it; if none does, one is woken.`;
    case 'unknown':
      return `Queued. If ${id} still runs elsewhere, it will be applied there; otherwise resume it: pawl resume ${shortenId(id)} --take-over`;
    case 'gone':
      return `Queued, but no process runs ${id}. To apply it: pawl resume ${shortenId(id)}`;
    default:
      return runs satisfies never;
  }
}
