import { step, type Event, type Json } from '@pawl/core';
import type { SessionCommand } from '@pawl/runtime/commands';
import { getOwnerState, type Store } from '@pawl/runtime/store';
import type { AgentFactory } from '@pawl/worker';
import type { CreateSessionRequest, FleetStatus } from '../api/index.ts';
import {
  endedStatuses,
  prepareSession,
  deriveStableId,
  nullIfMissing,
  nullIfConflict,
  type SessionHost,
  type SessionPreparer,
} from './session-host.ts';
import { createSessionRunner } from './session-runner.ts';

export type LocalHostOptions = {
  readonly store: Store;
  /** Identifies this process, as `getProcessOwner()` does. */
  readonly owner: string;
  readonly agentFactory: AgentFactory;
  readonly prepare: SessionPreparer;
  /** Explains, from a session's metadata, why it cannot be resumed here; null if it can. */
  readonly findDisabledReason: (metadata: Json) => string | null;
  readonly storeLocation: FleetStatus['store'];
  readonly now: () => number;
  readonly onError: (message: string) => void;
  /** Sessions that this process runs outside this host; they receive their own commands. */
  readonly externalRuns?: ExternalRuns;
};

export type ExternalRuns = { has(id: string): boolean; readonly watch: SessionHost['watch'] };

const noExternalRuns: ExternalRuns = { has: () => false, watch: () => () => undefined };

/** Runs sessions in this process and forwards commands to sessions that another process runs. */
export function createLocalHost(options: LocalHostOptions): SessionHost {
  const { store, owner, externalRuns = noExternalRuns } = options;
  const runs = createSessionRunner(options);
  const owners = createOwnerLiveness(() => performance.now());
  const submitting = new Map<string, Promise<SubmitResult>>();
  const isHere = (id: string): boolean => runs.has(id) || externalRuns.has(id);
  const isElsewhere = (session: { readonly id: string; readonly owner: string }): boolean =>
    !isHere(session.id) && session.owner !== owner && owners.mayBeAlive(session.owner);
  return {
    async submit(request) {
      const id = deriveStableId('create', request.requestId);
      const pending = submitting.get(id);
      if (pending !== undefined) return pending.then(() => ({ id, isNew: false }));
      runs.checkCapacity();
      const submission = createAndStartSession(options, id, request).finally(() => submitting.delete(id));
      submitting.set(id, submission);
      const { isNew, isStarted } = await submission;
      if (isStarted) runs.resume(id);
      return { id, isNew };
    },
    async send(id, command, requestId) {
      const opened = await store.open(id);
      const commandId = await sendToStore(store, id, command, requestId);
      // A process that holds the session picks up the command itself.
      const hasHolder = externalRuns.has(id) || isElsewhere({ id, owner: opened.owner });
      if (!hasHolder) runs.resume(id);
      return commandId;
    },
    getHolder(session) {
      if (isHere(session.id)) return 'here';
      return !endedStatuses.has(session.status) && isElsewhere(session) ? 'elsewhere' : 'nobody';
    },
    getDisabledReason: ({ metadata, isClosed }) =>
      isClosed ? closedSessionReason : options.findDisabledReason(metadata),
    getLastError: (id) => runs.getLastError(id),
    fleet: async () => ({
      store: options.storeLocation,
      workers: [],
      queues: [],
      parked: [],
      held: runs.listIds(),
    }),
    watch(id, listener) {
      const stops = [runs.watch(id, listener), externalRuns.watch(id, listener)];
      return () => stops.forEach((stop) => stop());
    },
    close: () => runs.close(),
  };
}

type SubmitResult = { readonly isNew: boolean; readonly isStarted: boolean };

/** Creates the session with its goal, or resumes an earlier attempt that did not store the goal yet. */
async function createAndStartSession(
  { store, owner, prepare, now }: LocalHostOptions,
  id: string,
  request: CreateSessionRequest,
): Promise<SubmitResult> {
  const existing = await store.open(id).catch(nullIfMissing);
  if (existing !== null && existing.session.seq > 0) return { isNew: false, isStarted: false };
  const { session, metadata } = await prepareSession(prepare, request, id);
  const position =
    existing === null
      ? await store.create(session, owner, { metadata, createdAt: now() }).catch(nullIfConflict)
      : await store.claim(id, owner, existing.fence);
  // Another process received the same request first.
  if (position === null) return { isNew: false, isStarted: false };
  const goalMessage: Event = { type: 'user-message', at: now(), text: request.goal };
  // If the log has a goal by now, another process appended it first.
  if (position.head === 0)
    await store.append(id, position, [goalMessage], step(existing?.session ?? session, goalMessage).session);
  return { isNew: existing === null, isStarted: true };
}

const closedSessionReason = 'This session is closed. Fork it to continue from an earlier event.';

function sendToStore(
  { commands }: Store,
  id: string,
  command: SessionCommand,
  requestId: string | undefined,
): Promise<string> {
  return commands.send(id, command, requestId === undefined ? {} : { requestId });
}

/** Whether the owner of a session may still be alive. Cached because system lookups are slow and lists are long. */
export type OwnerLiveness = { mayBeAlive(owner: string): boolean };

const livenessCacheMs = 500;
const cachedOwnersMax = 10_000;

/** A dead process stays dead, so that result is cached permanently; others are checked again after a short time. */
function createOwnerLiveness(now: () => number): OwnerLiveness {
  const expiresAt = new Map<string, number>();
  return {
    mayBeAlive(owner) {
      const expiry = expiresAt.get(owner);
      if (expiry === neverExpires) return false;
      if (expiry !== undefined && now() < expiry) return true;
      const isGone = getOwnerState(owner) === 'gone';
      if (expiresAt.size >= cachedOwnersMax) expiresAt.clear();
      expiresAt.set(owner, isGone ? neverExpires : now() + livenessCacheMs);
      return !isGone;
    },
  };
}

const neverExpires = Infinity;
