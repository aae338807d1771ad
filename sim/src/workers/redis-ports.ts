import { StoreError, type Store } from '@pawl/runtime';
import type { CrashLedger } from '../../../packages/worker/src/crash-ledger.ts';
import { drawDelay, performPortCall } from '../port-call.ts';
import type { SimWorld } from '../sim-world.ts';

/** Performs a call to the shared Redis. The request or its response may be lost. */
export function performRedisCall<Result>(
  world: SimWorld,
  process: string,
  name: string,
  perform: () => Promise<Result>,
): Promise<Result> {
  const { faults } = world;
  return performPortCall(
    world,
    { process, kind: 'redis' },
    { name, inMs: drawDelay(world, 'redis') },
    async () => {
      if (faults.strikes('unknown-lost', name)) throw createConnectionCutError();
      const result = await perform();
      if (faults.strikes('unknown-kept', name)) throw createConnectionCutError();
      return result;
    },
  );
}

function createConnectionCutError(): StoreError {
  return new StoreError('unreadable', 'the simulated Redis', 'the connection was cut');
}

export function createCrashLedgerPort(world: SimWorld, process: string, care: CrashLedger): CrashLedger {
  const call = <Result>(name: string, perform: () => Promise<Result>): Promise<Result> =>
    performRedisCall(world, process, `care ${name}`, perform);
  return {
    startAttempt: (session) => call('begin', () => care.startAttempt(session)),
    endAttempt: (session) => call('end', () => care.endAttempt(session)),
    park: (parked, crashes) => call('park', () => care.park(parked, crashes)),
    reason: (session) => call('reason', () => care.reason(session)),
    parked: () => call('parked', () => care.parked()),
    unpark: (session) => call('unpark', () => care.unpark(session)),
  };
}

export function createCommandsPort(
  world: SimWorld,
  process: string,
  commands: Store['commands'],
): Store['commands'] {
  return {
    send: (session, command, options) =>
      performRedisCall(world, process, 'send', () => commands.send(session, command, options)),
    listPending: (session) =>
      performRedisCall(world, process, 'waiting', () => commands.listPending(session)),
    remove: (session, id, fence) =>
      performRedisCall(world, process, 'drop', () => commands.remove(session, id, fence)),
  };
}
