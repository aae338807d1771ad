import type { SessionClaim, EventRow, StoreRows, SessionRow, SnapshotRow } from '@pawl/runtime/store';
import type { LoadedSession } from './loaded-session.ts';

/**
 * Thrown when the store's rules need events that are not loaded yet. The caller loads them and runs the rules again.
 */
export class EventsNotLoadedError extends Error {
  readonly from: number;
  readonly to: number;

  constructor(from: number, to: number) {
    super(`Events ${from} to ${to} are not loaded yet.`);
    this.from = from;
    this.to = to;
  }
}

/** Thrown when the store's rules need a fence and none was drawn yet. */
export class FenceNotDrawnError extends Error {}

export type NewClaim = Omit<SessionClaim, 'at'>;

/** The pending change to a session. */
export type SessionChange =
  | { readonly kind: 'none' }
  | { readonly kind: 'remove' }
  | {
      readonly kind: 'write';
      readonly row: SessionRow;
      /** Only for a new session. */
      readonly initial: string | null;
      readonly events: readonly EventRow[];
      readonly snapshot: SnapshotRow | null;
      /** The claim that this change makes, if any. */
      readonly claim: NewClaim | null;
      /** The commands that this change executes. */
      readonly commands: readonly string[];
    };

/**
 * Rows over a loaded session that buffer writes instead of performing them. This lets the synchronous rules of a store
 * run on an asynchronous database: the data is loaded first, and the changes are written afterward if the session has
 * not changed meanwhile.
 */
export class BufferedRows implements StoreRows {
  readonly #loaded: LoadedSession | null;
  readonly #fence: number | null;
  readonly #listed: readonly SessionRow[];
  readonly #events: EventRow[] = [];
  readonly #commands: string[] = [];
  #claim: NewClaim | null = null;
  #row: SessionRow | undefined;
  #initial: string | null = null;
  #snapshot: SnapshotRow | null = null;
  #hasChanged = false;

  constructor(loaded: LoadedSession | null, fence: number | null, listed: readonly SessionRow[] = []) {
    this.#loaded = loaded;
    this.#fence = fence;
    this.#listed = listed;
    this.#row = loaded?.row;
  }

  get change(): SessionChange {
    if (!this.#hasChanged) return { kind: 'none' };
    if (this.#row === undefined) return { kind: 'remove' };
    const [row, initial, snapshot, claim] = [this.#row, this.#initial, this.#snapshot, this.#claim];
    return { kind: 'write', row, initial, events: this.#events, snapshot, claim, commands: this.#commands };
  }

  read<Result>(work: () => Result): Result {
    return work();
  }

  write<Result>(work: () => Result): Result {
    return work();
  }

  nextFence(): number {
    if (this.#fence === null) throw new FenceNotDrawnError();
    return this.#fence;
  }

  find(): SessionRow | undefined {
    return this.#row;
  }

  insert(row: SessionRow, initial: string): void {
    this.#initial = initial;
    this.update(row);
  }

  update(row: SessionRow): void {
    this.#row = row;
    this.#hasChanged = true;
  }

  remove(): void {
    this.#row = undefined;
    this.#hasChanged = true;
  }

  initial(): string {
    return this.#initial ?? this.#loaded?.initial ?? '';
  }

  list(limit: number): readonly SessionRow[] {
    return this.#listed.slice(0, limit);
  }

  addEvents(_: string, events: readonly EventRow[]): void {
    for (const event of events) this.#events.push(event);
  }

  events(_: string, after: number, limit: number): readonly EventRow[] {
    const head = this.#loaded?.row.head ?? 0;
    const known = after < head ? this.#readEvents(after + 1, Math.min(after + limit, head)) : [];
    const eventAfterHead = this.#loaded?.eventAfterHead ?? null;
    const later = this.#events.length > 0 || eventAfterHead === null ? this.#events : [eventAfterHead];
    return [...known, ...later.filter(({ seq }) => seq > after)].slice(0, limit);
  }

  snapshot(): SnapshotRow | undefined {
    return this.#snapshot ?? this.#loaded?.snapshot;
  }

  putSnapshot(_: string, snapshot: SnapshotRow): void {
    this.#snapshot = snapshot;
  }

  addClaim(_: string, claim: NewClaim): void {
    this.#claim = claim;
  }

  claims(): readonly SessionClaim[] {
    // Claims are read directly from Redis; no rule needs them.
    return [];
  }

  removeCommands(_: string, commands: readonly string[]): void {
    this.#commands.push(...commands);
  }

  close(): void {
    // The buffer does not own the connection.
  }

  #readEvents(from: number, to: number): readonly EventRow[] {
    const loaded = this.#loaded;
    if (loaded === null) return [];
    const isRead = loaded.ranges.some((range) => range.from <= from && to <= range.to);
    if (!isRead) throw new EventsNotLoadedError(from, to);
    const events: EventRow[] = [];
    for (let seq = from; seq <= to; seq += 1) {
      const event = loaded.events.get(seq);
      if (event !== undefined) events.push(event);
    }
    return events;
  }
}
