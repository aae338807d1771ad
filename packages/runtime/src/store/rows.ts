import type { SessionClaim, SessionParent, SessionSummary } from './store.ts';

/**
 * The row storage that a store is built on; it enforces no rules. All methods are synchronous, so that other work of
 * the process cannot interrupt a transaction.
 */
export type StoreRows = {
  /** Runs `work` on a consistent view, isolated from concurrent writes. */
  read<Result>(work: () => Result): Result;
  /** Runs `work` atomically and excludes other writers. `work` must throw before its first change or not at all. */
  write<Result>(work: () => Result): Result;
  /** Returns a fencing token higher than any before it in the whole store. */
  nextFence(): number;
  insert(row: SessionRow, initial: string): void;
  find(id: string): SessionRow | undefined;
  initial(id: string): string;
  update(row: SessionRow): void;
  remove(id: string): void;
  list(limit: number): readonly SessionRow[];
  addEvents(id: string, events: readonly EventRow[]): void;
  /** Events with a number above `after`, in order. */
  events(id: string, after: number, limit: number): readonly EventRow[];
  snapshot(id: string): SnapshotRow | undefined;
  putSnapshot(id: string, snapshot: SnapshotRow): void;
  /** Evicts the oldest claims beyond `claimsMax`. The storage backend sets the time. */
  addClaim(id: string, claim: Omit<SessionClaim, 'at'>): void;
  /** Oldest first. */
  claims(id: string): readonly SessionClaim[];
  /** Removes executed commands and ignores unknown ones. Their request ids remain known for deduplication. */
  removeCommands(id: string, commands: readonly string[]): void;
  close(): void;
};

/** Maximum number of claims stored per session; a session that makes progress has fewer. */
export const claimsMax = 100;

/** The row storage that a command channel is built on. */
export type CommandRows = Pick<StoreRows, 'read' | 'write' | 'find' | 'removeCommands'> & {
  /** Returns the command's id, which is never reused. */
  addCommand(id: string, text: string, request: string | null): string;
  /** Pending commands, in order. */
  commands(id: string, limit: number): readonly CommandRow[];
  /** The id of the command that was sent with a request id. */
  findCommandId(id: string, request: string): string | undefined;
};

export type SessionRow = {
  readonly id: string;
  readonly owner: string;
  readonly fence: number;
  /** The number and hash of the last event; without events, those of the initial session. */
  readonly head: number;
  readonly hash: string;
  /** The reason why the session is damaged; null if no damage was found. */
  readonly damage: string | null;
  readonly summary: Pick<SessionSummary, 'profile' | 'goal' | 'status' | 'createdAt' | 'updatedAt' | 'steps'>;
  /** Serialized as JSON. */
  readonly metadata: string | null;
  readonly parent: SessionParent | null;
  /** These fields determine when the next snapshot is due. */
  readonly snapshotHead: number;
  readonly snapshotBytes: number;
  readonly tailBytes: number;
};

export type EventRow = { readonly seq: number; readonly text: string; readonly hash: string };

export type CommandRow = { readonly id: string; readonly text: string };

export type SnapshotRow = {
  readonly version: number;
  readonly head: number;
  /** The hash of the event it was made after. */
  readonly hash: string;
  readonly text: string;
  readonly checksum: string;
};
