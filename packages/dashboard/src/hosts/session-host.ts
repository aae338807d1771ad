import type { Event, Json, Session } from '@pawl/core';
import type { SessionCommand } from '@pawl/runtime/commands';
import { StoreError, type SessionSummary } from '@pawl/runtime/store';
import type { CreateSessionRequest, FleetStatus, SessionHolder } from '../api/index.ts';
import { ApiError } from '../http/api-error.ts';
import { createHash } from 'node:crypto';

/** Runs sessions for the dashboard, either in this process or through workers. */
export type SessionHost = {
  /** Creates a session. Repeating a request id returns the existing session. */
  submit(request: CreateSessionRequest): Promise<{ readonly id: string; readonly isNew: boolean }>;
  /**
   * Resolves to the command id once stored. The holder applies the command; without a holder, the session is resumed.
   */
  send(id: string, command: SessionCommand, requestId?: string): Promise<string>;
  getHolder(
    session: Pick<SessionSummary, 'id' | 'owner' | 'status'> & { readonly metadata?: Json },
  ): SessionHolder;
  /** Why a session accepts no commands; null if it does. */
  getDisabledReason(session: { readonly metadata: Json; readonly isClosed: boolean }): string | null;
  /** The error of the last run; null if it succeeded. */
  getLastError(id: string): string | null;
  fleet(): Promise<Pick<FleetStatus, 'store' | 'workers' | 'queues' | 'parked' | 'held'>>;
  /**
   * Subscribes to all events of a session that runs here, including ephemeral ones. Returns an unsubscribe function.
   */
  watch(id: string, listener: (event: Event) => void): () => void;
  /** Releases all sessions and leaves their stored state unchanged. */
  close(): Promise<void>;
};

/** Builds a new session and its metadata from a request. */
export type SessionPreparer = (
  request: CreateSessionRequest,
  id: string,
) => Promise<{ readonly session: Session; readonly metadata: Json }>;

type StatusSet = ReadonlySet<SessionSummary['status']>;

/** A session in one of these statuses accepts no commands. */
export const endedStatuses: StatusSet = new Set(['halted', 'shuttingDown', 'damaged']);

/** A session in one of these statuses waits for a user, and no process runs it. */
export const waitingForPersonStatuses: StatusSet = new Set([
  'waitingForUser',
  'awaitingPermission',
  'paused',
]);

/** Reports preparation failures as client errors, because the client can correct its request. */
export async function prepareSession(
  prepare: SessionPreparer,
  request: CreateSessionRequest,
  id: string,
): ReturnType<SessionPreparer> {
  try {
    return await prepare(request, id);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw error instanceof ApiError ? error : new ApiError('bad-request', reason, undefined, error);
  }
}

/** Derives an id from the request, so that a repeated request finds the existing session. */
export function deriveStableId(...parts: readonly string[]): string {
  const digest = createHash('sha256').update(JSON.stringify(parts)).digest('hex');
  // A version 8 UUID, the version reserved for custom formats.
  return [
    digest.slice(0, 8),
    digest.slice(8, 12),
    `8${digest.slice(13, 16)}`,
    `a${digest.slice(17, 20)}`,
    digest.slice(20, 32),
  ].join('-');
}

/** Returns null if the session does not exist. */
export function nullIfMissing(error: unknown): null {
  if (error instanceof StoreError && error.code === 'missing') return null;
  throw error;
}

/**
 * Returns the owner to record for a session that this process has released: it names a process id that no system
 * assigns, so any process may claim the session although this one still runs.
 */
export function toReleasedOwner(owner: string): string {
  return owner.replace(/ pid=\d+ start=\S+$/, ' pid=2147483647 start=-');
}

/** Returns null if the session already exists. */
export function nullIfConflict(error: unknown): null {
  if (error instanceof StoreError && error.code === 'conflict') return null;
  throw error;
}
