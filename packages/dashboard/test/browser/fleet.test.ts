import { createSession } from '@pawl/core';
import { getProcessOwner } from '@pawl/runtime/store';
import { connectRedis, createRedisStore, createSessionQueue } from '@pawl/worker';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { startRedis } from '../../../worker/test/redis-server.ts';
import { createLocalHost, createQueueHost, startDashboard } from '../../src/index.ts';
import { findSeriousProblems } from './axe.ts';
import { measurePageOverflow } from './page-checks.ts';
import { openBrowser } from '../../../../scripts/testing/browser.ts';

const assets = fileURLToPath(new URL('../../dist', import.meta.url));
describe('the fleet on Redis', { tags: ['chromium', 'redis'] }, () => {
  /** Cleanup functions, run in reverse order. */
  const cleanups: (() => Promise<unknown>)[] = [];

  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
  });

  it('shows the waiting sessions and that no worker is connected', async () => {
    const redis = await startRedis();
    cleanups.push(() => redis.stop());
    const connection = await connectRedis(redis.url, { waitMs: 5_000 });
    cleanups.push(() => connection.close());
    const store = createRedisStore(connection.redis);
    const queue = createSessionQueue(connection.redis, store);
    cleanups.push(() => queue.close());
    const options = {
      store,
      owner: getProcessOwner(),
      now: Date.now,
      prepare: async (_: unknown, id: string) => ({
        session: createSession({ id, at: Date.now() }),
        metadata: { dir: '/somewhere' },
      }),
    };
    const local = createLocalHost({
      ...options,
      storeLocation: { kind: 'redis', where: redis.url },
      findDisabledReason: () => null,
      onError: (message) => console.error(message),
      agentFactory: () => Promise.reject(new Error('No agent runs in this test.')),
    });
    cleanups.push(() => local.close());
    const host = createQueueHost({ ...options, queue, local });
    const server = await startDashboard({ store, host, assets, version: 'test' });
    cleanups.push(() => server.close());
    const browser = await openBrowser();
    cleanups.push(() => browser.close());
    await host.submit({ requestId: 'one', goal: 'Wait for a worker' });
    const page = await browser.newPage();
    await page.goto(server.loginUrl());
    await page.goto(`${server.url}/#/fleet`);
    await page.getByText('Sessions are stored in Redis').waitFor();
    await page.getByText('1 session is waiting and no worker is connected').waitFor();
    await page.getByRole('row', { name: /^default 1 0 0 0$/u }).waitFor();
    await page.getByText('No worker is connected.').waitFor();
    expect(await findSeriousProblems(page)).toEqual([]);
    await page.setViewportSize({ width: 390, height: 800 });
    expect(await measurePageOverflow(page)).toBe(0);
  });
});
