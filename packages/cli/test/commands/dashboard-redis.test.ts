import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { startRedis } from '../../../worker/test/redis-server.ts';
import { runDashboard } from '../../src/commands/dashboard/action.ts';
import { runWorker } from '../../src/commands/worker/action.ts';
import { captureIo } from '../capture-io.ts';

it(
  'hands sessions that are started in a browser to the workers of its Redis',
  { tags: ['redis'] },
  async () => {
    const token = 'chosen-by-the-user-1';
    vi.stubEnv('PAWL_DASHBOARD_TOKEN', token);
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-dashboard-')));
    writeFileSync(join(folder, 'garden.md'), '# Garden\n\nThe garden party is on the ninth of June.\n');
    const redis = await startRedis({ appendfsync: 'everysec' });
    const stop = new AbortController();
    const options = { dir: folder, store: redis.url, signal: stop.signal };
    const captured = captureIo();
    const serving = runDashboard({ ...options, port: '0', json: true }, captured.io);
    const working = runWorker({ ...options, concurrency: '1', lease: '300', grace: '1' }, captureIo().io);
    try {
      await expect.poll(captured.out).toContain('\n');
      const { url } = JSON.parse(captured.out()) as { url: string };
      const headers = { authorization: `Bearer ${token}`, 'x-pawl': '1', 'content-type': 'application/json' };
      const read = async (path: string): Promise<unknown> =>
        (await fetch(`${url}/api/v1${path}`, { headers })).json();
      const created = await fetch(`${url}/api/v1/sessions`, {
        method: 'POST',
        headers,
        body: JSON.stringify({ requestId: '1', goal: 'When is the garden party?' }),
      });
      expect(created.status).toBe(201);
      const { id } = (await created.json()) as { id: string };
      await expect
        .poll(() => read(`/sessions/${id}`))
        .toMatchObject({ status: 'waitingForUser', holder: 'nobody', controllable: true, dir: folder });
      expect(JSON.stringify(await read(`/sessions/${id}/events`))).toContain('ninth of June');
      expect(await read('/fleet')).toMatchObject({
        store: { kind: 'redis', where: `redis://127.0.0.1:${redis.port}` },
        workers: [{ tenant: 'default' }],
        queues: [{ tenant: 'default', waiting: 0 }],
      });
      expect(await read(`/sessions/${id}/memory`)).toEqual({ entries: [] });
    } finally {
      stop.abort();
      await Promise.all([serving, working]);
      await redis.stop();
      vi.unstubAllEnvs();
      rmSync(folder, { recursive: true, force: true });
    }
  },
);
