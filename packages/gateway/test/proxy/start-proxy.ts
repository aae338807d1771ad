import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import type { GovernOptions } from '@pawl/adapters/messages';
import { createMemoryStore, type Store } from '@pawl/runtime/store';
import { createConversationRecorder } from '../../src/proxy/recording.ts';
import { createProxy, type ProxyOptions } from '../../src/proxy/server.ts';
import { startUpstream, type UpstreamServer } from './upstream.ts';

/** A listening proxy with its own store. */
export type StartedProxy = {
  readonly url: string;
  readonly store: Store;
  readonly notes: readonly string[];
  waitUntilIdle(): Promise<void>;
  close(): Promise<void>;
};

export type StartProxyOptions = Partial<Pick<ProxyOptions, 'completionTools' | 'allowedOrigins'>> & {
  readonly store?: Store;
};

/** Starts a model server and a proxy before it. Both are closed when the test has finished. */
export async function startProxiedUpstream(
  respond: Parameters<typeof startUpstream>[0],
  govern: GovernOptions = {},
  options: StartProxyOptions = {},
): Promise<{ readonly upstream: UpstreamServer; readonly proxy: StartedProxy }> {
  const upstream = await startUpstream(respond);
  onTestFinished(() => upstream.close());
  const proxy = await startProxy(upstream.url, govern, options);
  onTestFinished(() => proxy.close());
  return { upstream, proxy };
}

export async function startProxy(
  upstream: string,
  govern: GovernOptions = {},
  { store = createMemoryStore(), ...options }: StartProxyOptions = {},
): Promise<StartedProxy> {
  const notes: string[] = [];
  const addNote = (note: unknown): void => void notes.push(JSON.stringify(note));
  const recorder = createConversationRecorder({
    store,
    metadata: { kind: 'proxy', dir: '/work' },
    onError: addNote,
  });
  const { server, waitUntilIdle } = createProxy({
    upstream: new URL(upstream),
    ...options,
    govern,
    recorder,
    onNote: addNote,
    now: () => 1_000,
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    store,
    notes,
    async waitUntilIdle() {
      await waitUntilIdle();
      await recorder.waitUntilIdle();
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
