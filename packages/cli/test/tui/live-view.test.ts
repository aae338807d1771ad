import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hasKeys } from '../../src/terminal.ts';
import { captureIo } from '../captured-io.ts';
import { openPane, tmuxProblem, type Pane } from './fixtures/tmux.ts';

const problem = tmuxProblem();
if (problem !== null) console.warn(`Tests of the live view in a terminal are skipped: ${problem}`);

const program = fileURLToPath(new URL('fixtures/live-program.ts', import.meta.url));
const sizes = [
  { columns: 80, rows: 24 },
  { columns: 200, rows: 50 },
] as const;

/** A question is not answered by a key pressed before it could be read. */
const readingMs = 400;

let folder = '';
let pane: Pane | null = null;
let opened = 0;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pawl-live-'));
  await writeFile(join(folder, 'notes.md'), '# Notes\n');
});

afterEach(async () => {
  await pane?.close();
  pane = null;
  await rm(folder, { recursive: true, force: true });
});

async function start(size: { readonly columns: number; readonly rows: number }): Promise<Pane> {
  const terminal = await open(size);
  await terminal.until('your message');
  return terminal;
}

async function open(size: { readonly columns: number; readonly rows: number }): Promise<Pane> {
  // A server that is on its way out would take a new one at the same place with it.
  opened += 1;
  const socket = join(folder, `tmux-${opened}`);
  pane = await openPane([process.execPath, program, folder], { ...size, socket });
  return pane;
}

describe.skipIf(problem !== null)('the live view in a terminal', () => {
  it.each(sizes)(
    'asks before a command runs, and shows what comes of it, on $columns by $rows',
    async (size) => {
      const terminal = await start(size);
      await terminal.press('look around', 'Enter');
      const asked = await terminal.until('May this run?');
      expect(asked).toContain('   │ sleep 1; echo "hello from the tool"');
      expect(asked).toContain(' y yes   n no   a always   esc interrupt');
      expect(asked).toMatch(/ \? awaitingPermission/);
      expect(asked.trimEnd().split('\n')).toHaveLength(size.rows);
      await wait(readingMs);
      await terminal.press('y');
      await terminal.until(/▸ shell +sleep 1/);
      const answered = await terminal.until('that must stay text.');
      expect(answered).toContain(
        String.raw`The folder holds notes and \x1b[31mone escape\x1b[0m that must stay text.`,
      );
      expect(answered).toMatch(/✓ shell +sleep 1; echo "hello from the tool" +1\.\d s/);
    },
    90_000,
  );

  it('is steered, interrupted, left and gone on with', async () => {
    const terminal = await start(sizes[0]);
    await terminal.press('talk on', 'Enter');
    await terminal.until('word 5 ');
    await terminal.press('Enter');
    await terminal.press('be quick', 'Enter');
    await terminal.until('be quick  waits to be heard');
    const quick = await terminal.until(String.raw`Quick it is: done.\x1b]2;owned\x07\x1b[2J`);
    expect(quick).toContain(' › be quick');
    expect(await terminal.title()).not.toBe('owned');

    await terminal.press('talk on', 'Enter');
    await terminal.until(/Quick it is: done\.[^]*word 5 /);
    await terminal.press('Escape');
    const interrupted = await terminal.until(/waitingForUser[^]*Interrupted\./);
    expect(interrupted).not.toMatch(/Quick it is: done\.[^]*word 99/);

    await terminal.press('look around', 'Enter');
    await terminal.until('May this run?');
    await terminal.press('C-c');
    await terminal.until('Press Ctrl-C again to leave.');
    await terminal.press('C-c');
    const left = await terminal.until('ended with 0');
    expect(left).toContain(' The session is kept. Go on with: pawl resume live-1');
    const all = await terminal.all();
    expect(all).toContain(' › talk on');
    expect(all).toContain('   Quick it is: done.');
    expect(all).not.toContain(' y yes   n no');
    await terminal.close();

    const second = await open(sizes[0]);
    const again = await second.until('May this run?');
    expect(again).toContain('   │ sleep 1; echo "hello from the tool"');
    await wait(readingMs);
    await second.press('n');
    expect(await second.until('that must stay text.')).toContain('⊘ shell');
  }, 120_000);

  it('fits every size it is given, and every view', async () => {
    const terminal = await start(sizes[0]);
    await terminal.press('remember', 'Enter');
    await terminal.until('I keep that in mind.');
    for (const [columns, rows] of [
      [60, 15],
      [200, 50],
      [80, 24],
    ] as const) {
      await terminal.resize(columns, rows);
      const screen = await terminal.until(new RegExp(`^─{${columns - 1}}\\n.*your message`, 'm'));
      expect(screen.trimEnd().split('\n')).toHaveLength(rows);
      expect(screen).toContain('I keep that in mind.');
      expect(screen.match(/waitingForUser  \d+ s/g)).toHaveLength(1);
    }
    await terminal.press('Tab', 'Tab');
    await terminal.until(/\d  \d\d:\d\d:\d\d  user-message {7}remember/);
    await terminal.press('Tab');
    await terminal.until('   │   "notes.md",');
    await terminal.press('Tab');
    await terminal.until('leave; the session is kept');
  }, 90_000);
});

describe('a live view', () => {
  it('is for a terminal with somebody at it, and nothing else', () => {
    const { io } = captureIo();
    expect(hasKeys(io)).toBe(false);
    const atTerminal = { ...io, stdin: Object.assign(io.stdin, { isTTY: true }) };
    expect(hasKeys(atTerminal)).toBe(false);
    const onBoth = { ...atTerminal, stderr: Object.assign(io.stderr, { isTTY: true }) };
    expect(hasKeys(onBoth)).toBe(false);
    const withKeys = Object.assign(onBoth.stdin, { setRawMode: () => undefined });
    expect(hasKeys({ ...onBoth, stdin: withKeys })).toBe(true);
  });
});
