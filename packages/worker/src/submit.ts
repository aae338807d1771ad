import { step, type Event, type Json, type Session } from '@pawl/core';
import { StoreError, type Position, type Store } from '@pawl/runtime';
import { wakeOptionsFor, withQueued, type Queued } from './queued.ts';
import { defaultTenant, type Queues } from './queues.ts';

export type SubmitOptions = {
  readonly about?: Json;
  readonly owner: string;
  readonly now: number;
  readonly tenant?: string;
  /** 1 to 2,097,151, the lowest first. Without one it goes before all that have one. */
  readonly priority?: number;
  readonly delayMs?: number;
};

type Means = { readonly store: Store; readonly queues: Pick<Queues, 'wake'> };
type Goal = { readonly session: Session; readonly goal: string };

/** Keeps a new session with its goal, and has a worker take it up. */
export async function submit(
  means: Means,
  { session, goal }: Goal,
  options: SubmitOptions,
): Promise<Position> {
  const created = await create(means, session, options);
  return begin(means, { session, goal }, { at: created, options });
}

/** The same for a session that may have been submitted already, or half: it ends up there once, with its goal. */
export async function submitOnce(
  means: Means,
  { session, goal }: Goal,
  options: SubmitOptions,
): Promise<void> {
  try {
    await submit(means, { session, goal }, options);
  } catch (error) {
    if (!isConflict(error)) throw error;
    await goOnSubmitting(means, { session, goal }, options);
  }
}

/** Somebody has created it before, and may have got no further than that. */
async function goOnSubmitting(means: Means, { session, goal }: Goal, options: SubmitOptions): Promise<void> {
  const { id } = session;
  const there = await means.store.open(id);
  if (there.head > 0) return;
  try {
    const claimed = await means.store.claim(id, options.owner, there.fence);
    // Whoever created it may have come further meanwhile.
    if (claimed.head === 0) await begin(means, { session: claimed.session, goal }, { at: claimed, options });
  } catch (error) {
    // Somebody else has claimed it meanwhile, to do the same.
    if (!isConflict(error)) throw error;
  }
}

function isConflict(error: unknown): boolean {
  return error instanceof StoreError && (error.code === 'conflict' || error.code === 'held');
}

function create({ store }: Means, session: Session, options: SubmitOptions): Promise<Position> {
  const { about = null, owner, now } = options;
  return store.create(session, owner, { about: withQueued(about, queuedBy(options)), createdAt: now });
}

async function begin(
  { store, queues }: Means,
  { session, goal }: Goal,
  { at, options }: { readonly at: Position; readonly options: SubmitOptions },
): Promise<Position> {
  const { now } = options;
  // The goal is in the log before anybody is woken: a job that gets lost is made again from it.
  const said: Event = { type: 'user-message', at: now, text: goal };
  const position = await store.append(session.id, at, [said], step(session, said).session);
  await queues.wake({ session: session.id, version: position.head }, wakeOptionsFor(queuedBy(options), now));
  return position;
}

function queuedBy({ now, tenant = defaultTenant, priority, delayMs = 0 }: SubmitOptions): Queued {
  return { tenant, priority: priority ?? null, notBefore: delayMs > 0 ? now + delayMs : null };
}
