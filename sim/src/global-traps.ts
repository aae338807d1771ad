import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers';
import timersPromises from 'node:timers/promises';

/** Returns the names of the forbidden globals that were used, once per use. */
export type GlobalTraps = { takeUsed(): readonly string[] };

/**
 * Replaces every global through which time, randomness or the network could enter a run unnoticed. Permanent: intended
 * for a thread that does nothing else.
 */
export function installGlobalTraps(): GlobalTraps {
  const used: string[] = [];
  const trap = (name: string) => (): never => {
    used.push(name);
    throw new Error(`${name} is used in a simulation, which must be deterministic`);
  };
  const replaceGlobal = (owner: object, name: string, label: string): void => {
    Object.defineProperty(owner, name, { value: trap(label), configurable: true, writable: true });
  };
  for (const name of ['setTimeout', 'setInterval', 'fetch']) replaceGlobal(globalThis, name, name);
  replaceGlobal(Math, 'random', 'Math.random');
  replaceGlobal(Date, 'now', 'Date.now');
  replaceGlobal(performance, 'now', 'performance.now');
  replaceGlobal(AbortSignal, 'timeout', 'AbortSignal.timeout');
  for (const name of ['randomUUID', 'getRandomValues'])
    replaceGlobal(globalThis.crypto, name, `crypto.${name}`);
  for (const name of ['randomUUID', 'randomBytes', 'randomInt'])
    replaceGlobal(crypto, name, `crypto.${name}`);
  for (const owner of [timers, timersPromises])
    for (const name of ['setTimeout', 'setInterval']) replaceGlobal(owner, name, `timers.${name}`);
  globalThis.Date = createTrappedDate(trap('new Date'));
  // Also update the named imports of modules that are already loaded.
  syncBuiltinESMExports();
  return { takeUsed: () => used.splice(0) };
}

/** A date with arguments is data; a date without arguments reads the system clock. */
function createTrappedDate(fail: () => never): DateConstructor {
  return new Proxy(Date, {
    apply: () => fail(),
    construct: (target, args: unknown[], newTarget) =>
      args.length === 0 ? fail() : (Reflect.construct(target, args, newTarget) as object),
  });
}
