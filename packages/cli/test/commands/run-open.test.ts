import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { parseExposition, sumSamples } from '../../../telemetry/test/exposition.ts';
import { runGoal } from '../../src/run/start-run.ts';
import { captureTerminalIo, captureIo } from '../capture-io.ts';

let folder = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pawl-open-'));
  writeFileSync(join(folder, 'garden.md'), 'The garden party is on the ninth of June.\n');
  // Without a display, no browser is opened.
  vi.stubEnv('DISPLAY', '');
  vi.stubEnv('WAYLAND_DISPLAY', '');
});

afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

const goal = 'When is the garden party?';

describe('pawl run --open', () => {
  it('shows the run in a browser until Ctrl-C, even after it has ended', async () => {
    const stop = new AbortController();
    const { io, err } = captureTerminalIo('y');
    const options = { dir: folder, store: 'none', plain: true, open: true, signal: stop.signal };
    const running = runGoal(goal, options, io);
    await expect.poll(err).toContain('until Ctrl-C');
    const [login = ''] = /http:\/\/127\.0\.0\.1:\d+\/login\?code=\S+/.exec(err()) ?? [];
    const { origin, hash } = new URL(login);
    const welcome = await fetch(login, { redirect: 'manual' });
    const [cookie = ''] = welcome.headers.getSetCookie();
    const headers = { cookie: cookie.split(';')[0] ?? '' };
    const id = hash.split('/')[2] ?? '';
    const detail = await fetch(`${origin}/api/v1/sessions/${id}`, { headers });
    expect(await detail.json()).toMatchObject({ id, goal, status: 'waitingForUser' });
    const metrics = parseExposition(await (await fetch(`${origin}/metrics`, { headers })).text());
    const answered = { pawl_ending: 'answered' };
    expect(sumSamples(metrics, 'gen_ai_invoke_agent_duration_count', answered)).toBe(1);
    expect(sumSamples(metrics, 'pawl_stored_sessions', { pawl_state: 'waitingForUser' })).toBe(1);
    stop.abort();
    expect(await running).toBe(0);
    await expect(fetch(origin)).rejects.toThrow();
  });

  it('ends with the run without a terminal', async () => {
    const { io, out } = captureIo();
    expect(await runGoal(goal, { dir: folder, store: 'none', open: true }, io)).toBe(0);
    expect(out()).toContain('garden.md:1');
  });
});
