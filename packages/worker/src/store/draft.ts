import type { Claim, EventRow, Rows, SessionRow, SnapshotRow } from '@pawl/runtime';
import type { Sight } from './sight.ts';

/** Thrown where the rules of a store look at events that were not read yet. They are read, and the rules begin anew. */
export class Unread extends Error {
  readonly from: number;
  readonly to: number;

  constructor(from: number, to: number) {
    super(`Events ${from} to ${to} were not read yet.`);
    this.from = from;
    this.to = to;
  }
}

/** Thrown where the rules want a number for a claim and none was drawn yet. */
export class Unnumbered extends Error {}

export type NewClaim = Omit<Claim, 'at'>;

/** What is to become of a session. */
export type Change =
  | { readonly kind: 'none' }
  | { readonly kind: 'remove' }
  | {
      readonly kind: 'write';
      readonly row: SessionRow;
      /** Only for a session that is new. */
      readonly initial: string | null;
      readonly events: readonly EventRow[];
      readonly snapshot: SnapshotRow | null;
      /** Whose claim to it this is, if it is one. */
      readonly claim: NewClaim | null;
      /** What people asked for that is carried out with this. */
      readonly commands: readonly string[];
    };

/**
 * Rows over what was read of one session, which write nothing down but remember what is to be written. So the rules of a
 * store, which know of no waiting, can work on a database that has to be waited for: what they want is read first, and what
 * they did is written afterwards, if nobody has changed the session meanwhile.
 */
export class Draft implements Rows {
  readonly #sight: Sight | null;
  readonly #fence: number | null;
  readonly #listed: readonly SessionRow[];
  readonly #events: EventRow[] = [];
  readonly #commands: string[] = [];
  #claim: NewClaim | null = null;
  #row: SessionRow | undefined;
  #initial: string | null = null;
  #snapshot: SnapshotRow | null = null;
  #isTouched = false;

  constructor(sight: Sight | null, fence: number | null, listed: readonly SessionRow[] = []) {
    this.#sight = sight;
    this.#fence = fence;
    this.#listed = listed;
    this.#row = sight?.row;
  }

  get change(): Change {
    if (!this.#isTouched) return { kind: 'none' };
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
    if (this.#fence === null) throw new Unnumbered();
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
    this.#isTouched = true;
  }

  remove(): void {
    this.#row = undefined;
    this.#isTouched = true;
  }

  initial(): string {
    return this.#initial ?? this.#sight?.initial ?? '';
  }

  list(limit: number): readonly SessionRow[] {
    return this.#listed.slice(0, limit);
  }

  addEvents(_: string, events: readonly EventRow[]): void {
    for (const event of events) this.#events.push(event);
  }

  events(_: string, after: number, limit: number): readonly EventRow[] {
    const head = this.#sight?.row.head ?? 0;
    const known = after < head ? this.#readEvents(after + 1, Math.min(after + limit, head)) : [];
    const stray = this.#sight?.stray ?? null;
    const later = this.#events.length > 0 || stray === null ? this.#events : [stray];
    return [...known, ...later.filter(({ seq }) => seq > after)].slice(0, limit);
  }

  snapshot(): SnapshotRow | undefined {
    return this.#snapshot ?? this.#sight?.snapshot;
  }

  putSnapshot(_: string, snapshot: SnapshotRow): void {
    this.#snapshot = snapshot;
  }

  addClaim(_: string, claim: NewClaim): void {
    this.#claim = claim;
  }

  claims(): readonly Claim[] {
    // They are read where they are asked for, and by no rule.
    return [];
  }

  takeCommands(_: string, commands: readonly string[]): void {
    this.#commands.push(...commands);
  }

  close(): void {
    // The connection is not the draft's.
  }

  #readEvents(from: number, to: number): readonly EventRow[] {
    const sight = this.#sight;
    if (sight === null) return [];
    const isRead = sight.ranges.some((range) => range.from <= from && to <= range.to);
    if (!isRead) throw new Unread(from, to);
    const found: EventRow[] = [];
    for (let seq = from; seq <= to; seq += 1) {
      const event = sight.events.get(seq);
      if (event !== undefined) found.push(event);
    }
    return found;
  }
}
