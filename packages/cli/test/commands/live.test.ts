import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startOpenAiServer, type OpenAiServer } from '../openai-server.ts';
import { openTmuxPane, type TmuxPane } from '../tui/fixtures/tmux.ts';

const bin = join(import.meta.dirname, '../../bin/pawl.js');
/** A question ignores keys that are pressed before it can be read. */
const readingMs = 400;

let folder = '';
let server: OpenAiServer;
const panes: TmuxPane[] = [];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'pawl-tmux-'));
  writeFileSync(join(folder, 'plan.md'), 'one\n');
  server = await startOpenAiServer();
});

afterEach(async () => {
  for (const pane of panes.splice(0)) await pane.close();
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

async function openPawlPane(
  size: { columns: number; rows: number },
  ...args: readonly string[]
): Promise<TmuxPane> {
  const store = ['--store', join(folder, 'store', 'sessions.db'), '--dir', folder];
  const pane = await openTmuxPane([process.execPath, bin, ...args, ...store], {
    ...size,
    socket: join(folder, `tmux-${panes.length}`),
  });
  panes.push(pane);
  return pane;
}

describe('pawl in a terminal', { tags: ['tmux'] }, () => {
  it.each([
    { columns: 80, rows: 24 },
    { columns: 200, rows: 50 },
  ])(
    'asks for approval, accepts steering, and is detached and resumed, at $columns x $rows',
    async (size) => {
      server.says = (request, { messages }) => {
        if (request === 1) return { tool: 'write', args: { path: 'plan.md', content: 'two\n' } };
        if (request === 2) return { tool: 'shell', args: { command: 'touch started; sleep 600' } };
        return `I received ${messages.filter(({ role }) => role === 'user').length} messages.`;
      };
      const model = ['--model', 'openai-compatible:m', '--base-url', server.url];
      const first = await openPawlPane(size, 'run', ...model, 'Change the plan.');
      const question = await first.waitForText('May this run?');
      expect(question).toContain('plan.md');
      expect(question.trimEnd().split('\n').length).toBeLessThanOrEqual(size.rows);
      expect(readFileSync(join(folder, 'plan.md'), 'utf8')).toBe('one\n');
      await wait(readingMs);
      await first.press('Enter');
      await first.waitForText('touch started');
      await wait(readingMs);
      await first.press('1', 'Enter');
      await expect.poll(() => existsSync(join(folder, 'started'))).toBe(true);
      expect(readFileSync(join(folder, 'plan.md'), 'utf8')).toBe('two\n');
      await first.press('Be quick about it', 'Enter');
      await first.waitForText('Be quick about it');
      await first.press('C-c');
      await first.waitForText('again to quit');
      await first.press('C-c');
      const left = await first.waitForText('ended with 130');
      expect(left).toMatch(/pawl resume [\da-f]{8}\n/);
      expect(left).toMatch(/✓ Wrote plan\.md .*\n +1 - one\n +1 \+ two\n +– Running touch started/);

      const second = await openPawlPane(size, 'resume', '--plain');
      await second.waitForText('I received 2 messages.');
      await second.waitForText('ended with 0');
    },
  );

  it('keeps a chat open when the governor stops a turn', async () => {
    server.says = (_, { messages }) =>
      JSON.stringify(messages).includes('please read the plan')
        ? 'It is in the plan.'
        : { tool: 'glob', args: { pattern: '*' } };
    const model = ['--model', 'openai-compatible:m', '--base-url', server.url];
    const pane = await openPawlPane({ columns: 80, rows: 24 }, 'chat', ...model);
    await pane.waitForText('your message');
    await pane.press('Where is it?', 'Enter');
    await pane.waitForText(/✗ Stopped: .*[^]*■ Stopped: /);
    await pane.press('please read the plan', 'Enter');
    await pane.waitForText(/It is in the plan\.[^]* ○ Ready/);
    await pane.press('/quit', 'Enter');
    await pane.waitForText('ended with 0');
  });

  it('writes AGENTS.md after /init only once the user has approved it', async () => {
    const content = '# AGENTS.md\n\nOne plan.\n';
    server.says = (request) =>
      request === 1 ? { tool: 'write', args: { path: 'AGENTS.md', content } } : 'AGENTS.md is there.';
    const model = ['--model', 'openai-compatible:m', '--base-url', server.url];
    const pane = await openPawlPane({ columns: 80, rows: 24 }, 'chat', ...model);
    await pane.waitForText('your message');
    await pane.press('/init', 'Enter');
    await pane.waitForText('May this run?');
    expect(JSON.stringify(server.asked[0]?.messages)).toContain('Write the file AGENTS.md');
    expect(existsSync(join(folder, 'AGENTS.md'))).toBe(false);
    await wait(readingMs);
    await pane.press('1', 'Enter');
    await pane.waitForText('AGENTS.md is there.');
    expect(readFileSync(join(folder, 'AGENTS.md'), 'utf8')).toBe(content);
  });

  it('runs nothing when the user types at a permission question', async () => {
    server.says = (request) =>
      request === 1 ? { tool: 'write', args: { path: 'plan.md', content: 'two\n' } } : 'I leave it.';
    const model = ['--model', 'openai-compatible:m', '--base-url', server.url];
    const pane = await openPawlPane({ columns: 80, rows: 24 }, 'chat', ...model, 'Change the plan.');
    await pane.waitForText('May this run?');
    await wait(readingMs);
    await pane.press('actually no');
    await pane.waitForText('❯ 3. No, and tell the agent: actually no');
    await pane.press('Enter');
    await pane.waitForText('I leave it.');
    expect(JSON.stringify(server.asked.at(-1))).toContain('actually no');
    expect(readFileSync(join(folder, 'plan.md'), 'utf8')).toBe('one\n');
  });
});
