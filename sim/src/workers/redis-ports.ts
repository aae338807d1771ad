import { StoreError, type Store } from '@pawl/runtime';
import type { Care } from '../../../packages/worker/src/care.ts';
import { delay, portCall } from '../port.ts';
import type { World } from '../world.ts';

/** A call of what all workers share: it may not get there, and its answer may not come back. */
export function redisCall<Result>(
  world: World,
  process: string,
  name: string,
  perform: () => Promise<Result>,
): Promise<Result> {
  const { faults } = world;
  return portCall(world, { process, kind: 'redis' }, { name, inMs: delay(world, 'redis') }, async () => {
    if (faults.strikes('unknown-lost', name)) throw cut();
    const result = await perform();
    if (faults.strikes('unknown-kept', name)) throw cut();
    return result;
  });
}

function cut(): StoreError {
  return new StoreError('unreadable', 'the simulated Redis', 'the connection was cut');
}

export function careThrough(world: World, process: string, care: Care): Care {
  const call = <Result>(name: string, perform: () => Promise<Result>): Promise<Result> =>
    redisCall(world, process, `care ${name}`, perform);
  return {
    begin: (session) => call('begin', () => care.begin(session)),
    end: (session) => call('end', () => care.end(session)),
    park: (parked, crashes) => call('park', () => care.park(parked, crashes)),
    reason: (session) => call('reason', () => care.reason(session)),
    parked: () => call('parked', () => care.parked()),
    unpark: (session) => call('unpark', () => care.unpark(session)),
  };
}

export function commandsThrough(
  world: World,
  process: string,
  commands: Store['commands'],
): Store['commands'] {
  return {
    send: (session, command, options) =>
      redisCall(world, process, 'send', () => commands.send(session, command, options)),
    waiting: (session) => redisCall(world, process, 'waiting', () => commands.waiting(session)),
    drop: (session, id, fence) => redisCall(world, process, 'drop', () => commands.drop(session, id, fence)),
  };
}
