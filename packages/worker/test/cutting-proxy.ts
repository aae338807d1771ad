import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** A way to a Redis that can be cut: the next request that holds a word gets through, and its answer does not. */
export type CuttingProxy = {
  readonly url: string;
  cutAfter(word: string): void;
  /** How often it was cut. */
  readonly cuts: () => number;
  close(): void;
};

export async function startCuttingProxy(port: number): Promise<CuttingProxy> {
  const sockets = new Set<Socket>();
  let word: string | null = null;
  let count = 0;
  const server = createServer((near) => {
    const far = connect(port, '127.0.0.1');
    let isCut = false;
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        near.destroy();
        far.destroy();
      });
    }
    near.on('data', (request: Buffer) => {
      if (word !== null && request.includes(word)) {
        word = null;
        isCut = true;
        count += 1;
      }
      far.write(request);
    });
    // By the time there is an answer, Redis has done what it was asked to.
    far.on('data', (answer: Buffer) => (isCut ? near.destroy() : near.write(answer)));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `redis://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cutAfter(next) {
      word = next;
    },
    cuts: () => count,
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
