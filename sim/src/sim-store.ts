import { StoreError, type Store } from '@pawl/runtime/store';
import { drawDiskDelay, performPortCall } from './port-call.ts';
import type { SessionDriver, SimWorld } from './sim-world.ts';

/** How long a full disk stays full. */
const diskFullMs = 4_000;

/**
 * The store as seen by one driver: the real implementation behind a disk that may be slow, full or failing. The oracle
 * is notified of every write at the moment it is persisted.
 */
export function createSimStore(world: SimWorld, driver: SessionDriver): Store {
  const { store } = driver.process;
  const { oracle } = world;
  const write = createStoreWrite(world, driver);
  const read = createStoreRead(world, driver);
  return {
    ...store,
    create: (session, owner, options) =>
      write('create', async () => {
        const position = await store.create(session, owner, options);
        oracle.onCreated(driver, session, position);
        return position;
      }),
    claim: (id, owner, from) =>
      write('claim', async () => {
        const claimed = await store.claim(id, owner, from);
        oracle.onClaimed(driver, id, claimed);
        oracle.onOpened(id, claimed);
        return claimed;
      }),
    append: (id, at, events, after) => {
      // Serialize at call time: later mutations must not change the persisted data.
      const texts = events.map((event) => JSON.stringify(event));
      return write(
        'append',
        async () => {
          const position = await store.append(id, at, events, after);
          oracle.onAppended(driver, { at, events, texts, after, position });
          return position;
        },
        () => oracle.onStoreFull(driver, at, texts),
      );
    },
    open: (id, options) =>
      read('open', async () => {
        const opened = await store.open(id, options);
        if (options?.at === undefined) oracle.onOpened(id, opened);
        return opened;
      }),
  };
}

type StoreWrite = <Result>(
  name: string,
  perform: () => Promise<Result>,
  onFull?: () => void,
) => Promise<Result>;

function createStoreWrite(world: SimWorld, driver: SessionDriver): StoreWrite {
  const { faults, disk, scheduler } = world;
  const caller = { process: driver.process.name, kind: 'store' };
  return (name, perform, onFull = () => undefined) =>
    performPortCall(world, caller, { name, inMs: drawDiskDelay(world, 'store') }, async () => {
      if (faults.shouldFail('full', name)) disk.fullUntil = scheduler.now + diskFullMs;
      const isFull = !faults.isDisabled && scheduler.now < disk.fullUntil;
      if (isFull || faults.shouldFail('busy', name)) {
        onFull();
        throw new StoreError(isFull ? 'full' : 'busy', 'the simulated disk');
      }
      if (faults.shouldFail('unknown-lost', name)) throw createIoError();
      const result = await perform();
      if (faults.shouldFail('unknown-kept', name)) throw createIoError();
      return result;
    });
}

function createStoreRead(
  world: SimWorld,
  driver: SessionDriver,
): <Result>(name: string, perform: () => Promise<Result>) => Promise<Result> {
  const caller = { process: driver.process.name, kind: 'store' };
  return (name, perform) =>
    performPortCall(world, caller, { name, inMs: drawDiskDelay(world, 'store') }, async () => {
      if (world.faults.shouldFail('unknown-lost', name)) throw createIoError();
      return perform();
    });
}

function createIoError(): StoreError {
  return new StoreError('unreadable', 'the simulated disk', 'EIO');
}
