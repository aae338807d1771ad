import { StoreError, type Store } from '@pawl/runtime';
import { diskDelay, portCall } from './port.ts';
import type { Driver, World } from './world.ts';

/** How long the disk stays full once it is. */
const fullForMs = 4_000;

/**
 * The store as one driver sees it: the real rules, behind a disk that may be slow, full or failing. Of every write the
 * oracle is told at the moment it is kept.
 */
export function storeOf(world: World, driver: Driver): Store {
  const { store } = driver.process;
  const { oracle } = world;
  const write = writing(world, driver);
  const read = reading(world, driver);
  return {
    ...store,
    create: (session, owner, options) =>
      write('create', async () => {
        const position = await store.create(session, owner, options);
        oracle.created(driver, session, position);
        return position;
      }),
    claim: (id, owner, from) =>
      write('claim', async () => {
        const claimed = await store.claim(id, owner, from);
        oracle.claimed(driver, id, claimed);
        oracle.opened(id, claimed);
        return claimed;
      }),
    append: (id, at, events, after) => {
      // Once it is asked for, what is kept is what it was then.
      const texts = events.map((event) => JSON.stringify(event));
      return write(
        'append',
        async () => {
          const position = await store.append(id, at, events, after);
          oracle.appended(driver, { at, events, texts, after, position });
          return position;
        },
        () => oracle.foundNoRoom(driver, at, texts),
      );
    },
    open: (id, options) =>
      read('open', async () => {
        const opened = await store.open(id, options);
        if (options?.at === undefined) oracle.opened(id, opened);
        return opened;
      }),
  };
}

type Write = <Result>(name: string, perform: () => Promise<Result>, noRoom?: () => void) => Promise<Result>;

function writing(world: World, driver: Driver): Write {
  const { faults, disk, scheduler } = world;
  const caller = { process: driver.process.name, kind: 'store' };
  return (name, perform, noRoom = () => undefined) =>
    portCall(world, caller, { name, inMs: diskDelay(world, 'store') }, async () => {
      if (faults.strikes('full', name)) disk.fullUntil = scheduler.now + fullForMs;
      const isFull = !faults.healed && scheduler.now < disk.fullUntil;
      if (isFull || faults.strikes('busy', name)) {
        noRoom();
        throw new StoreError(isFull ? 'full' : 'busy', 'the simulated disk');
      }
      if (faults.strikes('unknown-lost', name)) throw ioError();
      const result = await perform();
      if (faults.strikes('unknown-kept', name)) throw ioError();
      return result;
    });
}

function reading(
  world: World,
  driver: Driver,
): <Result>(name: string, perform: () => Promise<Result>) => Promise<Result> {
  const caller = { process: driver.process.name, kind: 'store' };
  return (name, perform) =>
    portCall(world, caller, { name, inMs: diskDelay(world, 'store') }, async () => {
      if (world.faults.strikes('unknown-lost', name)) throw ioError();
      return perform();
    });
}

function ioError(): StoreError {
  return new StoreError('unreadable', 'the simulated disk', 'EIO');
}
