import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hasKeyboard } from '../../src/output/terminal-prompt.ts';
import { captureIo } from '../capture-io.ts';
import { openTmuxPane, type TmuxPane } from './fixtures/tmux.ts';

const program = fileURLToPath(new URL('fixtures/live-program.ts', import.meta.url));
const sizes = [
  { columns: 80, rows: 24 },
  { columns: 200, rows: 50 },
] as const;

/** Longer than the time in which a new question ignores keys. */
const readingMs = 400;

let folder = '';
let pane: TmuxPane | null = null;
let openedPanes = 0;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pawl-live-'));
  await writeFile(join(folder, 'notes.md'), '# Notes\n');
});

afterEach(async () => {
  await pane?.close();
  pane = null;
  await rm(folder, { recursive: true, force: true });
});

async function startLiveProgram(size: {
  readonly columns: number;
  readonly rows: number;
}): Promise<TmuxPane> {
  const terminal = await openLiveProgram(size);
  await terminal.waitForText('your message');
  return terminal;
}

async function openLiveProgram(size: { readonly columns: number; readonly rows: number }): Promise<TmuxPane> {
  // A tmux server that is shutting down would also end a new one on the same socket.
  openedPanes += 1;
  const socket = join(folder, `tmux-${openedPanes}`);
  pane = await openTmuxPane([process.execPath, program, folder], { ...size, socket });
  return pane;
}

describe('the live view in a terminal', { tags: ['tmux'] }, () => {
  it.each(sizes)('asks before a command runs, and shows its result, on $columns by $rows', async (size) => {
    const terminal = await startLiveProgram(size);
    await terminal.press('look around', 'Enter');
    const asked = await terminal.waitForText('May this run?');
    expect(asked).toContain('   │ until [ -e go ]; do sleep 0.1; done; echo hello');
    expect(asked).toContain(' ❯ 1. Yes\n   2. Yes, and always: ');
    expect(asked).toMatch(/ \? Waiting for your decision/);
    expect(asked.trimEnd().split('\n')).toHaveLength(size.rows);
    await wait(readingMs);
    await terminal.press('Enter');
    await terminal.waitForText(/▸ Running until/);
    await writeFile(join(folder, 'go'), '');
    const answered = await terminal.waitForText('that must stay text.');
    expect(answered).toContain(
      String.raw`The folder holds notes and \x1b[31mone escape\x1b[0m that must stay text.`,
    );
    expect(answered).toMatch(/✓ Ran until \[ -e go \]; do sleep 0\.1; done; echo hello +[\dm. ]+s/);
  });

  it('can be steered, interrupted, quit and resumed', async () => {
    const terminal = await startLiveProgram(sizes[0]);
    await terminal.press('talk on', 'Enter');
    await terminal.waitForText('word 5 ');
    await terminal.press('be quick', 'Enter');
    await terminal.waitForText('be quick  queued');
    await writeFile(join(folder, 'all-said'), '');
    const quick = await terminal.waitForText(String.raw`Quick it is: done.\x1b]2;owned\x07\x1b[2J`);
    expect(quick).toContain(' › be quick');
    expect(await terminal.title()).not.toBe('owned');

    await rm(join(folder, 'all-said'));
    await terminal.press('talk on', 'Enter');
    await terminal.waitForText(/Quick it is: done\.[^]*word 5 /);
    await terminal.press('Escape');
    const interrupted = await terminal.waitForText(/Ready[^]*Interrupted\./);
    expect(interrupted).not.toMatch(/Quick it is: done\.[^]*word 99/);

    await terminal.press('look around', 'Enter');
    await terminal.waitForText('May this run?');
    await terminal.press('C-c');
    await terminal.waitForText('Press Ctrl-C again to quit.');
    await terminal.press('C-c');
    const left = await terminal.waitForText('ended with 0');
    expect(left).toContain(' The session is saved. Resume it with: pawl resume live-1');
    const all = await terminal.all();
    expect(all).toContain(' › talk on');
    expect(all).toContain('   Quick it is: done.');
    expect(all).not.toContain('May this run?');
    await terminal.close();

    const second = await openLiveProgram(sizes[0]);
    const again = await second.waitForText('May this run?');
    expect(again).toContain('   │ until [ -e go ]; do sleep 0.1; done; echo hello');
    await wait(readingMs);
    await second.press('actually no');
    await second.waitForText('❯ 3. No, and tell the agent: actually no');
    await second.press('Enter');
    const denied = await second.waitForText('that must stay text.');
    expect(denied).toContain('⊘ Running until');
    expect(denied).toContain('the user said no: actually no');
  });

  it('fits every terminal size in every view', async () => {
    const terminal = await startLiveProgram(sizes[0]);
    await terminal.press('remember', 'Enter');
    await terminal.waitForText('I keep that in mind.');
    for (const [columns, rows] of [
      [60, 15],
      [200, 50],
      [80, 24],
    ] as const) {
      await terminal.resize(columns, rows);
      const screen = await terminal.waitForText(new RegExp(`^─{${columns - 1}}\\n.*your message`, 'm'));
      expect(screen.trimEnd().split('\n')).toHaveLength(rows);
      expect(screen).toContain('I keep that in mind.');
      expect(screen.match(/ ○ Ready/g)).toHaveLength(1);
    }
    await terminal.press('/events', 'Enter');
    await terminal.waitForText(/\d  \d\d:\d\d:\d\d  user-message {7}remember/);
    await terminal.press('Tab');
    await terminal.waitForText('ctrl-c twice');
    await terminal.press('/memory', 'Enter');
    await terminal.waitForText('   │   "notes.md",');
  });
});

describe('a live view', () => {
  it('requires an interactive terminal', () => {
    const { io } = captureIo();
    expect(hasKeyboard(io)).toBe(false);
    const atTerminal = { ...io, stdin: Object.assign(io.stdin, { isTTY: true }) };
    expect(hasKeyboard(atTerminal)).toBe(false);
    const onBoth = { ...atTerminal, stderr: Object.assign(io.stderr, { isTTY: true }) };
    expect(hasKeyboard(onBoth)).toBe(false);
    const withKeys = Object.assign(onBoth.stdin, { setRawMode: () => undefined });
    expect(hasKeyboard({ ...onBoth, stdin: withKeys })).toBe(true);
  });
});
