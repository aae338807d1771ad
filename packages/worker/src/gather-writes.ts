import type { Socket } from 'node:net';
import type { Redis } from 'ioredis';

/**
 * Has all that is sent in one go of the event loop written at once. A worker has many sessions, whose answers come together
 * and whose next commands follow together: a call of the system for each of them is what would cost most.
 */
export function gatherWrites(redis: Redis): void {
  // Each connection, as after a cut, has a stream of its own.
  redis.on('connect', () => gatherOn(redis.stream));
}

function gatherOn(stream: Socket): void {
  const write = stream.write.bind(stream) as (...args: unknown[]) => boolean;
  let isHeld = false;
  const letGo = (): void => {
    isHeld = false;
    stream.uncork();
  };
  const gathered = (...args: unknown[]): boolean => {
    if (!isHeld) {
      isHeld = true;
      stream.cork();
      process.nextTick(letGo);
    }
    return write(...args);
  };
  stream.write = gathered;
}
