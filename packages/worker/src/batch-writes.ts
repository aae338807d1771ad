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
  let isCorked = false;
  const uncork = (): void => {
    isCorked = false;
    stream.uncork();
  };
  const batchedWrite = (...args: unknown[]): boolean => {
    if (!isCorked) {
      isCorked = true;
      stream.cork();
      process.nextTick(uncork);
    }
    return write(...args);
  };
  stream.write = batchedWrite;
}
