import type { Event, Json, Session } from '@pawl/core';
import type { SessionCommand, SessionSummary } from '@pawl/runtime';
import type { CreateSession, Fleet, Holder } from '../api/index.ts';

/** Runs sessions, or has them run, for the dashboard: the one thing that differs between a database and workers. */
export type Host = {
  /** Begins a session. Asked for again under the same request id, it is the one that there is. */
  submit(asked: CreateSession): Promise<{ readonly id: string; readonly isNew: boolean }>;
  /** Resolves to the id of the command once it is kept. Whoever has the session carries it out; if nobody has, it is taken up. */
  send(id: string, command: SessionCommand, requestId?: string): Promise<string>;
  holderOf(session: Pick<SessionSummary, 'id' | 'owner' | 'status'> & { readonly about?: Json }): Holder;
  /** Why nothing can be asked of a session; null where it can. */
  whyNot(session: { readonly about: Json; readonly status: SessionSummary['status'] }): string | null;
  /** Why it could not be worked on the last time; null if it could. */
  troubleOf(id: string): string | null;
  fleet(): Promise<Pick<Fleet, 'store' | 'workers' | 'queues' | 'parked' | 'held'>>;
  /** Tells of every event of a session while it runs here, ephemeral ones included. Returns how to stop. */
  watch(id: string, listener: (event: Event) => void): () => void;
  /** Lets go of all sessions; they are kept as they are. */
  close(): Promise<void>;
};

/** What a new session is made of, for whoever asked. */
export type Prepare = (
  asked: CreateSession,
  id: string,
) => Promise<{ readonly session: Session; readonly about: Json }>;
