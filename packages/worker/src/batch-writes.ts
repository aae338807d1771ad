import type { Socket } from 'node:net';
import type { Redis } from 'ioredis';

/**
 * Batches all socket writes of one event loop turn. Replies for a worker's many sessions arrive together, and so do
 * their next commands; a system call for each of them would dominate the cost.
 */
export function batchSocketWrites(redis: Redis): void {
  // Each connection has its own stream, including one made after a reconnect.
  redis.on('connect', () => corkStreamWrites(redis.stream));
}

function corkStreamWrites(stream: Socket): void {
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
