import { step, type Event, type Json } from '@pawl/core';
import { StoreError, type SessionCommand, type Store } from '@pawl/runtime';
import type { OutfitFor } from '@pawl/worker';
import type { CreateSession, Fleet } from '../api/index.ts';
import { overStatuses } from '../sessions/statuses.ts';
import type { Host, Prepare } from './host.ts';
import { idFor } from './ids.ts';
import { createOwners } from './owners.ts';
import { prepared } from './prepared.ts';
import { createRuns } from './runs.ts';

export type LocalHostOptions = {
  readonly store: Store;
  /** Names this process, as `thisProcess()` does. */
  readonly owner: string;
  readonly outfitFor: OutfitFor;
  readonly prepare: Prepare;
  /** Why a session cannot be gone on with from here, told from what is kept about it; null where it can. */
  readonly whyNot: (about: Json) => string | null;
  readonly place: Fleet['store'];
  readonly now: () => number;
  readonly onTrouble: (message: string) => void;
  /** Sessions that this process works on by other means: they hear what is asked of them by themselves. */
  readonly besides?: Besides;
};

export type Besides = { has(id: string): boolean; readonly watch: Host['watch'] };

const nothingBesides: Besides = { has: () => false, watch: () => () => undefined };

/** Runs sessions in this process, and passes on what is asked of those that another one runs. */
export function createLocalHost(options: LocalHostOptions): Host {
  const { store, owner, besides = nothingBesides } = options;
  const runs = createRuns(options);
  const owners = createOwners(() => performance.now());
  const submitting = new Map<string, Promise<Begun>>();
  const isHere = (id: string): boolean => runs.has(id) || besides.has(id);
  const isElsewhere = (session: { readonly id: string; readonly owner: string }): boolean =>
    !isHere(session.id) && session.owner !== owner && owners.mayBeThere(session.owner);
  return {
    async submit(asked) {
      const id = idFor('create', asked.requestId);
      const before = submitting.get(id);
      if (before !== undefined) return before.then(() => ({ id, isNew: false }));
      runs.checkRoom();
      const beginning = begin(options, id, asked).finally(() => submitting.delete(id));
      submitting.set(id, beginning);
      const { isNew, isBegun } = await beginning;
      if (isBegun) runs.takeUp(id);
      return { id, isNew };
    },
    async send(id, command, requestId) {
      const found = await store.open(id);
      const sent = await sendTo(store, id, command, requestId);
      // Whoever has it hears of it by themselves.
      const hasOne = besides.has(id) || isElsewhere({ id, owner: found.owner });
      if (!hasOne) runs.takeUp(id);
      return sent;
    },
    holderOf(session) {
      if (isHere(session.id)) return 'here';
      return !overStatuses.has(session.status) && isElsewhere(session) ? 'elsewhere' : 'nobody';
    },
    whyNot: ({ about, status }) => (overStatuses.has(status) ? hasEnded : options.whyNot(about)),
    troubleOf: (id) => runs.troubleOf(id),
    fleet: async () => ({ store: options.place, workers: [], queues: [], parked: [], held: runs.all() }),
    watch(id, listener) {
      const stops = [runs.watch(id, listener), besides.watch(id, listener)];
      return () => stops.forEach((stop) => stop());
    },
    close: () => runs.close(),
  };
}

type Begun = { readonly isNew: boolean; readonly isBegun: boolean };

/** Keeps the session and its goal, or goes on with one that was begun before and has no goal yet. */
async function begin(
  { store, owner, prepare, now }: LocalHostOptions,
  id: string,
  asked: CreateSession,
): Promise<Begun> {
  const before = await store.open(id).catch(missing);
  if (before !== null && before.session.seq > 0) return { isNew: false, isBegun: false };
  const { session, about } = await prepared(prepare, asked, id);
  const position =
    before === null
      ? await store.create(session, owner, { about, createdAt: now() }).catch(conflicting)
      : await store.claim(id, owner, before.fence);
  // Another process was asked for the same thing, and was first.
  if (position === null) return { isNew: false, isBegun: false };
  const said: Event = { type: 'user-message', at: now(), text: asked.goal };
  // One that has a goal by now was lost to this process by whoever gave it that goal.
  if (position.head === 0)
    await store.append(id, position, [said], step(before?.session ?? session, said).session);
  return { isNew: before === null, isBegun: true };
}

const hasEnded = 'It has ended for good. Fork it to go on from an earlier event.';

/** Null for a session that is not there. */
export function missing(error: unknown): null {
  if (error instanceof StoreError && error.code === 'missing') return null;
  throw error;
}

/** Null for a session that is there already. */
export function conflicting(error: unknown): null {
  if (error instanceof StoreError && error.code === 'conflict') return null;
  throw error;
}

function sendTo(
  { commands }: Store,
  id: string,
  command: SessionCommand,
  requestId: string | undefined,
): Promise<string> {
  return commands.send(id, command, requestId === undefined ? {} : { requestId });
}
