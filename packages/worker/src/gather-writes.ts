import type { Socket } from 'node:net';
import type { Redis } from 'ioredis';

/**
 * Writes all that is sent in one turn of the event loop at once. The answers for a worker's many sessions come together, and
 * their next commands follow together: a system call for each of them would cost the most.
 */
export function gatherWrites(redis: Redis): void {
  // Each connection has a stream of its own, also one made after a cut.
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
