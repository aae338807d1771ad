import type { Event } from '@pawl/core';
import { StoreError, type Store } from '@pawl/runtime';
import { advance, Lease, type OutfitFor } from '@pawl/worker';
import { ApiError } from '../http/api-error.ts';
import type { Host } from './host.ts';
import { letGo } from './let-go.ts';

/** More sessions at once than one machine runs well. */
const runningMax = 32;

/** Longer than any process lives: nobody gets what this process has claimed unless they take it over. */
const leaseMs = 2 ** 30;

const pollMs = 100;
const graceMs = 5_000;

export type RunsOptions = {
  readonly store: Store;
  readonly owner: string;
  readonly outfitFor: OutfitFor;
  readonly onTrouble: (message: string) => void;
};

/** The sessions that this process works on. */
export type Runs = {
  has(id: string): boolean;
  all(): string[];
  /** Throws where there is no room for one more. */
  checkRoom(): void;
  /** Works on it until there is nothing left to do, and then once more if it is asked to meanwhile. */
  takeUp(id: string): void;
  /** Why it could not be worked on the last time; null if it could. */
  troubleOf(id: string): string | null;
  readonly watch: Host['watch'];
  close(): Promise<void>;
};

export function createRuns(options: RunsOptions): Runs {
  const running = new Map<string, Promise<void>>();
  const again = new Set<string>();
  const troubles = new Map<string, string>();
  const watchers = createWatchers();
  const draining = new AbortController();

  const checkRoom = (): void => {
    if (running.size < runningMax) return;
    throw new ApiError('too-many', `${runningMax} sessions run here already.`, 'Wait for one to end.');
  };
  const note = (id: string, error: unknown): void => {
    const message = error instanceof Error ? error.message : String(error);
    if (troubles.size >= troublesMax) troubles.clear();
    troubles.set(id, message);
    options.onTrouble(`Session ${id}: ${message}`);
  };
  const takeUp = (id: string): void => {
    if (draining.signal.aborted) return;
    // It may have looked for the last time already whether anything is asked of it.
    if (running.has(id)) return void again.add(id);
    checkRoom();
    troubles.delete(id);
    const done = run(id, options, { draining: draining.signal, tell: watchers.tell })
      .catch((error: unknown) => note(id, error))
      .finally(() => {
        running.delete(id);
        if (again.delete(id) && !troubles.has(id)) void goOn(id);
      });
    running.set(id, done);
  };

  const goOn = async (id: string): Promise<void> => {
    const waiting = await options.store.commands.waiting(id).catch(() => []);
    if (waiting.length > 0) takeUp(id);
  };

  return {
    has: (id) => running.has(id),
    all: () => [...running.keys()],
    checkRoom,
    takeUp,
    troubleOf: (id) => troubles.get(id) ?? null,
    watch: watchers.watch,
    async close() {
      draining.abort();
      await Promise.all(running.values());
    },
  };
}

const troublesMax = 1_000;

type Running = {
  readonly draining: AbortSignal;
  readonly tell: (id: string, event: Event) => void;
};

/** Works on a session until it waits for people and nothing more is asked of it. */
async function run(
  id: string,
  { store, owner, outfitFor }: RunsOptions,
  { draining, tell }: Running,
): Promise<void> {
  const lease = new Lease(leaseMs, async () => true);
  const watched: OutfitFor = async (opened) => {
    const outfit = await outfitFor(opened);
    return {
      ...outfit,
      observe(seen) {
        outfit.observe?.(seen);
        tell(id, seen.event);
      },
    };
  };
  try {
    for (;;) {
      const means = { store, commands: store.commands, outfitFor: watched, owner, lease, draining };
      const came = await advance(id, { ...means, graceMs, pollMs });
      // What was asked for while it was being let go of does not wait for the next time.
      const isAsked = came === 'waiting' && (await store.commands.waiting(id)).length > 0;
      if (!isAsked) break;
    }
  } finally {
    lease.end();
    await release(store, id, owner);
  }
}

/** So that others may take it up although this process goes on. */
async function release(store: Store, id: string, owner: string): Promise<void> {
  const found = await store.open(id).catch(() => null);
  if (found?.owner !== owner) return;
  await store.claim(id, letGo(owner), found.fence).catch(heldByNow);
}

function heldByNow(error: unknown): void {
  if (!(error instanceof StoreError)) throw error;
}

type Watchers = {
  readonly tell: (id: string, event: Event) => void;
  readonly watch: Host['watch'];
};

function createWatchers(): Watchers {
  const all = new Map<string, Set<(event: Event) => void>>();
  return {
    tell(id, event) {
      for (const listener of all.get(id) ?? []) listener(event);
    },
    watch(id, listener) {
      const listeners = all.get(id) ?? new Set();
      all.set(id, listeners.add(listener));
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0) all.delete(id);
      };
    },
  };
}
