import type { Claim, Parent, SessionSummary } from './store.ts';

/**
 * What a store is built on: rows, with no rule about them. All of it is synchronous, so that a transaction cannot be
 * interrupted by other work of the process.
 */
export type Rows = {
  /** Sees one state of everything, whatever others write meanwhile. */
  read<Result>(work: () => Result): Result;
  /** All of it or nothing, and nobody else writes meanwhile. `work` throws before its first change, or not at all. */
  write<Result>(work: () => Result): Result;
  /** A number higher than any before, in the whole store. */
  nextFence(): number;
  insert(row: SessionRow, initial: string): void;
  find(id: string): SessionRow | undefined;
  initial(id: string): string;
  update(row: SessionRow): void;
  remove(id: string): void;
  list(limit: number): readonly SessionRow[];
  addEvents(id: string, events: readonly EventRow[]): void;
  /** In order, those with a number above `after`. */
  events(id: string, after: number, limit: number): readonly EventRow[];
  snapshot(id: string): SnapshotRow | undefined;
  putSnapshot(id: string, snapshot: SnapshotRow): void;
  /** Those beyond `claimsMax` are forgotten, the oldest first. The time is that of whatever keeps the rows. */
  addClaim(id: string, claim: Omit<Claim, 'at'>): void;
  /** In order. */
  claims(id: string): readonly Claim[];
  /** Takes away commands that are carried out; those that are not there are passed over. Their requests stay known. */
  takeCommands(id: string, commands: readonly string[]): void;
  close(): void;
};

/** How many claims of a session are kept: a session that gets anywhere has fewer. */
export const claimsMax = 100;

/** What a channel for commands is built on. */
export type CommandRows = Pick<Rows, 'read' | 'write' | 'find' | 'takeCommands'> & {
  /** Gives its id: no other command has or had the same. */
  addCommand(id: string, text: string, request: string | null): string;
  /** Those that wait, in order. */
  commands(id: string, limit: number): readonly CommandRow[];
  /** The id of the command that came by a request. */
  commandOf(id: string, request: string): string | undefined;
};

export type SessionRow = {
  readonly id: string;
  readonly owner: string;
  readonly fence: number;
  /** The number of the last event, and its hash. Without events, those of the session as it was created. */
  readonly head: number;
  readonly hash: string;
  /** What is wrong with it; null as long as nothing was found. */
  readonly damage: string | null;
  readonly summary: Pick<SessionSummary, 'profile' | 'goal' | 'status' | 'createdAt' | 'updatedAt' | 'steps'>;
  /** As JSON. */
  readonly about: string | null;
  readonly parent: Parent | null;
  /** By these it is decided when the next snapshot is worth its bytes. */
  readonly snapshotHead: number;
  readonly snapshotBytes: number;
  readonly tailBytes: number;
};

export type EventRow = { readonly seq: number; readonly text: string; readonly hash: string };

export type CommandRow = { readonly id: string; readonly text: string };

export type SnapshotRow = {
  readonly version: number;
  readonly head: number;
  /** Of the event it was made after. */
  readonly hash: string;
  readonly text: string;
  readonly checksum: string;
};
