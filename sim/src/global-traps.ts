import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers';
import timersPromises from 'node:timers/promises';

/** Returns the names of the forbidden globals that were used, once per use. */
export type GlobalTraps = { take(): readonly string[] };

/**
 * Replaces every global through which time, randomness or the network could enter a run unnoticed. Permanent: intended
 * for a thread that does nothing else.
 */
export function installGlobalTraps(): GlobalTraps {
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
  globalThis.Date = createTrappedDate(trap('new Date'));
  // Also update the named imports of modules that are already loaded.
  syncBuiltinESMExports();
  return { take: () => tripped.splice(0) };
}

/** A date with arguments is data; a date without arguments reads the system clock. */
function createTrappedDate(trip: () => never): DateConstructor {
  return new Proxy(Date, {
    apply: () => trip(),
    construct: (target, args: unknown[], newTarget) =>
      args.length === 0 ? trip() : (Reflect.construct(target, args, newTarget) as object),
  });
}
