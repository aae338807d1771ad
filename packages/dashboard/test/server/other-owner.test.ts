import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSession } from '@pawl/core';
import { openSqliteStore } from '@pawl/runtime/store';
import { expect, it } from 'vitest';
import type { SessionDetail } from '../../src/api/index.ts';
import { startTestServer } from './test-server.ts';

const runtime = new URL('../../../runtime/src/store-entry.ts', import.meta.url).href;

/** A process that only stays alive, and its owner name. */
async function startOtherProcess(): Promise<{ readonly owner: string; end(): Promise<void> }> {
  const script = `import { getProcessOwner } from ${JSON.stringify(runtime)}; console.log(getProcessOwner()); setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  return {
    owner: line.toString().trim(),
    async end() {
      const ended = once(child, 'close');
      child.kill('SIGKILL');
      await ended;
    },
  };
}

it('leaves a session to the process that holds it, and resumes it once that process has ended', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-dashboard-'));
  const other = await startOtherProcess();
  {
    const store = openSqliteStore(join(folder, 'sessions.db'));
    await using server = await startTestServer({ store, replies: [{ text: 'Here I am.' }] });
    await store.create(createSession({ id: 'theirs', at: 1 }), other.owner, {
      metadata: { dir: '/somewhere' },
    });
    const detail = async (): Promise<SessionDetail> =>
      (await (await server.get('/api/v1/sessions/theirs')).json()) as SessionDetail;
    const say = (text: string): Promise<Response> =>
      server.post('/api/v1/sessions/theirs/commands', { kind: 'say', text });

    expect(await detail()).toMatchObject({ holder: 'elsewhere', controllable: true });
    expect((await say('Are you there?')).status).toBe(202);
    expect(await store.commands.listPending('theirs')).toMatchObject([
      { command: { kind: 'say', text: 'Are you there?' } },
    ]);
    expect((await store.open('theirs')).owner).toBe(other.owner);

    await other.end();
    await expect.poll(async () => (await detail()).holder).toBe('nobody');
    await say('And now?');
    await server.until('theirs', 'waitingForUser');
    await expect.poll(async () => (await store.commands.listPending('theirs')).length).toBe(0);
    const texts: string[] = [];
    for await (const { event } of store.events('theirs')) if ('text' in event) texts.push(event.text);
    expect(texts).toEqual(expect.arrayContaining(['Are you there?', 'And now?', 'Here I am.']));
  }
  rmSync(folder, { recursive: true });
});
