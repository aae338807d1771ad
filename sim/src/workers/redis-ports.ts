import { StoreError, type Store } from '@pawl/runtime/store';
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
      if (faults.shouldFail('unknown-lost', name)) throw createConnectionCutError();
      const result = await perform();
      if (faults.shouldFail('unknown-kept', name)) throw createConnectionCutError();
      return result;
    },
  );
}

function createConnectionCutError(): StoreError {
  return new StoreError('unreadable', 'the simulated Redis', 'the connection was cut');
}

export function createCrashLedgerPort(
  world: SimWorld,
  process: string,
  crashLedger: CrashLedger,
): CrashLedger {
  const call = <Result>(name: string, perform: () => Promise<Result>): Promise<Result> =>
    performRedisCall(world, process, `crash ledger ${name}`, perform);
  return {
    startAttempt: (session) => call('begin', () => crashLedger.startAttempt(session)),
    endAttempt: (session) => call('end', () => crashLedger.endAttempt(session)),
    park: (parked, crashes) => call('park', () => crashLedger.park(parked, crashes)),
    reason: (session) => call('reason', () => crashLedger.reason(session)),
    parked: () => call('parked', () => crashLedger.parked()),
    unpark: (session) => call('unpark', () => crashLedger.unpark(session)),
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
