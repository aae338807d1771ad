import type { AddressInfo } from 'node:net';
import type { GovernOptions } from '@pawl/adapters/messages';
import { createMemoryStore, type Store } from '@pawl/runtime';
import { createConversationRecorder } from '../../src/proxy/recorder.ts';
import { createProxy } from '../../src/proxy/server.ts';

/** A proxy that listens, with a store of its own. */
export type StartedProxy = {
  readonly url: string;
  readonly store: Store;
  readonly notes: readonly string[];
  settled(): Promise<void>;
  close(): Promise<void>;
};

export async function startProxy(
  upstream: string,
  govern: GovernOptions = {},
  store: Store = createMemoryStore(),
): Promise<StartedProxy> {
  const notes: string[] = [];
  const say = (note: unknown): void => void notes.push(JSON.stringify(note));
  const recorder = createConversationRecorder({
    store,
    about: { kind: 'proxy', dir: '/work' },
    onTrouble: say,
  });
  const { server, heard } = createProxy({
    upstream: new URL(upstream),
    govern,
    recorder,
    onNote: say,
    now: () => 1_000,
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    store,
    notes,
    async settled() {
      await heard();
      await recorder.settled();
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
