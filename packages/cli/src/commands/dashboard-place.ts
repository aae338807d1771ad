import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Json } from '@pawl/core';
import {
  createLocalHost,
  createQueueHost,
  memoryMarks,
  type Besides,
  type Host,
  type Marks,
} from '@pawl/dashboard';
import { openSqliteStorage, thisProcess, type Storage, type Store } from '@pawl/runtime';
import type { Telemetry } from '@pawl/telemetry';
import { folderStorage, sessionMarks, tenantIn, type OutfitFor } from '@pawl/worker';
import { dataFolder, storageFileFor } from '../data-folder.ts';
import { withFolder } from '../store-folder.ts';
import { openStore, type OpenedStore, isRedis } from '../store-option.ts';
import { marksOn } from './dashboard-marks.ts';
import { counting } from './dashboard-metrics.ts';
import { prepareIn } from './dashboard-prepare.ts';
import { withQueue, type QueuePlace } from './queue-place.ts';
import { readAbout } from './run-about.ts';
import { configFor } from './run-config.ts';
import { marksInRedis } from './verdict-marks-redis.ts';
import { workerOutfit } from './worker-outfit.ts';

/** What a dashboard shows and works with. */
export type DashboardPlace = {
  readonly store: Store;
  readonly host: Host;
  readonly marks: Marks;
  readonly shelfOf: (about: Json) => Promise<Storage | null>;
  readonly metrics?: () => Promise<string>;
};

export type PlaceFlags = {
  readonly dir: string;
  readonly store?: string | undefined;
};

type Warn = (line: string) => void;

/** Opens the store that is meant, does something with it, and lets go of it and of what runs whatever came of that. */
export async function withPlace<Result>(
  flags: PlaceFlags,
  warn: Warn,
  work: (place: DashboardPlace) => Promise<Result>,
): Promise<Result> {
  const { config } = await configFor(flags.dir, {}, null);
  const named = flags.store ?? config.store;
  if (named !== undefined && isRedis(named)) {
    // Whoever only looks is told that something may get lost, and not kept from looking.
    return withQueue({ dir: flags.dir, store: named, allowLoss: true }, { warn }, (queue) =>
      counting(config, { ...queue, warn }, (telemetry) =>
        closing(queuePlace(queue, named, { flags, warn, telemetry }), work),
      ),
    );
  }
  const opened = await openStore(flags, config);
  try {
    return await counting(config, { store: opened.store, warn }, (telemetry) =>
      closing(localPlace(opened, { dir: flags.dir, warn, telemetry }), work),
    );
  } finally {
    await opened.close();
  }
}

async function closing<Result>(
  place: DashboardPlace,
  work: (place: DashboardPlace) => Promise<Result>,
): Promise<Result> {
  try {
    return await work(place);
  } finally {
    await place.host.close();
  }
}

export type LocalPlaceOptions = {
  readonly dir: string;
  readonly warn: Warn;
  readonly telemetry?: Telemetry | null;
  readonly besides?: Besides;
};

/** A database, whose sessions are worked on in this process. */
export function localPlace(opened: OpenedStore, options: LocalPlaceOptions): DashboardPlace {
  const { dir, warn, besides, telemetry = null } = options;
  const { store, path } = opened;
  const outfitFor = outfitHere(opened, { warn, telemetry });
  const kind = path === null ? 'memory' : path.startsWith('redis://') ? 'redis' : 'sqlite';
  const host = createLocalHost({
    store,
    owner: thisProcess(),
    outfitFor,
    prepare: prepareIn({ dir, outfitFor }),
    whyNot: (about) => (opened.isOwn ? whyNot(about) : foreign(path)),
    place: { kind, where: path },
    now: Date.now,
    onTrouble: warn,
    ...(besides !== undefined && { besides }),
  });
  const marks = opened.marks === null ? memoryMarks() : marksOn(opened.marks);
  const shelfOf = kind === 'redis' ? shelfIn((of, about) => opened.memoryFor(of, { about })) : shelfHere;
  return { store, host, marks, shelfOf, ...metricsOf(telemetry) };
}

function metricsOf(telemetry: Telemetry | null): Pick<DashboardPlace, 'metrics'> {
  return telemetry === null ? {} : { metrics: telemetry.prometheus };
}

/** Sessions may work in any folder of this machine: whoever uses the dashboard could run them there by hand. */
function outfitHere(
  { spoolFor, memoryFor }: Pick<OpenedStore, 'spoolFor' | 'memoryFor'>,
  means: { readonly warn: Warn; readonly telemetry: Telemetry | null },
): OutfitFor {
  const outfitFor = workerOutfit({
    root: '/',
    ...means,
    storageOf: (dir, about) => memoryFor(dir, { about }),
  });
  return async (opened) => ({ ...(await outfitFor(opened)), spool: spoolFor(opened.session.id) });
}

/** Looking at memory never makes one. */
async function shelfHere(about: Json): Promise<Storage | null> {
  const known = readAbout(about);
  if (known === null) return null;
  const file = storageFileFor(known.dir);
  return existsSync(file) ? openSqliteStorage(file) : null;
}

function shelfIn(storageOf: (dir: string, about: Json) => Storage): DashboardPlace['shelfOf'] {
  return async (about) => {
    const known = readAbout(about);
    return known === null ? null : storageOf(known.dir, about);
  };
}

function whyNot(about: Json): string | null {
  return readAbout(about) === null
    ? 'It was not begun by pawl run: it is not known where and with which model it worked.'
    : null;
}

function foreign(path: string | null): string {
  return `${path ?? 'This database'} was not made by you on this machine, so nothing in it is run. If you trust it, take a session of it up once: pawl resume --trust-store`;
}

type QueueNeeds = { readonly flags: PlaceFlags; readonly warn: Warn; readonly telemetry: Telemetry | null };

/** Redis, whose sessions workers run. Those that were begun by hand are worked on here. */
function queuePlace(
  { redis, store: plain, queue }: QueuePlace,
  url: string,
  { flags: { dir }, warn, telemetry }: QueueNeeds,
): DashboardPlace {
  const folder = join(dataFolder(), 'worker');
  const store = withFolder(plain, folder);
  const { host: where } = new URL(url);
  const path = `redis://${where}`;
  const owner = thisProcess();
  const storageOf = (of: string, about: Json): Storage =>
    folderStorage(redis, { dir: of, tenant: tenantIn(about) });
  const outfitFor = workerOutfit({ root: '/', warn, storageOf, telemetry });
  const prepare = prepareIn({ dir, outfitFor: null });
  const local = createLocalHost({
    store,
    owner,
    outfitFor,
    prepare,
    whyNot,
    place: { kind: 'redis', where: path },
    now: Date.now,
    onTrouble: warn,
  });
  return {
    store,
    host: createQueueHost({ store, queue, owner, prepare, now: Date.now, local }),
    marks: marksOn(marksInRedis(sessionMarks(redis))),
    ...metricsOf(telemetry),
    shelfOf: shelfIn(storageOf),
  };
}
