import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers';
import timersPromises from 'node:timers/promises';

/** The names of what was used although a run must not, once for each use. */
export type Traps = { take(): readonly string[] };

/**
 * Puts a trap in the place of everything by which time, chance or the network could get into a run without the simulation
 * knowing. For good: it is meant for a thread that does nothing else.
 */
export function setTraps(): Traps {
  const tripped: string[] = [];
  const trap = (name: string) => (): never => {
    tripped.push(name);
    throw new Error(`${name} is used in a simulation, where nothing may be real`);
  };
  const put = (owner: object, name: string, as: string): void => {
    Object.defineProperty(owner, name, { value: trap(as), configurable: true, writable: true });
  };
  for (const name of ['setTimeout', 'setInterval', 'fetch']) put(globalThis, name, name);
  put(Math, 'random', 'Math.random');
  put(Date, 'now', 'Date.now');
  put(performance, 'now', 'performance.now');
  put(AbortSignal, 'timeout', 'AbortSignal.timeout');
  for (const name of ['randomUUID', 'getRandomValues']) put(globalThis.crypto, name, `crypto.${name}`);
  for (const name of ['randomUUID', 'randomBytes', 'randomInt']) put(crypto, name, `crypto.${name}`);
  for (const owner of [timers, timersPromises])
    for (const name of ['setTimeout', 'setInterval']) put(owner, name, `timers.${name}`);
  globalThis.Date = dateWithoutNow(trap('new Date'));
  // So that modules that have imported them by name get the traps as well.
  syncBuiltinESMExports();
  return { take: () => tripped.splice(0) };
}

/** A date made from a number or a text is data; one made from nothing is the time of day. */
function dateWithoutNow(trip: () => never): DateConstructor {
  return new Proxy(Date, {
    apply: () => trip(),
    construct: (target, args: unknown[], newTarget) =>
      args.length === 0 ? trip() : (Reflect.construct(target, args, newTarget) as object),
  });
}
