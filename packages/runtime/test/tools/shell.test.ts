import { existsSync, mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Json } from '@pawl/core';
import { describe, expect, it } from 'vitest';
import { findLauncher } from '../../src/sandbox/find-launcher.ts';
import { openLauncher } from '../../src/sandbox/launcher.ts';
import { createShellTool, type CommandOptions } from '../../src/tools/shell.ts';
import { createReadTool } from '../../src/tools/read.ts';
import { withLimits } from '../../src/tools/limits.ts';
import { tempFolder, type TempFolder } from '../search/temp-folder.ts';
import { refused, runTool } from './run-tool.ts';

const shell = (
  { root }: Pick<TempFolder, 'root'>,
  args: Json,
  context: Parameters<typeof runTool>[2] = {},
  options: Partial<CommandOptions> = {},
) => runTool(createShellTool({ root, launcher: openLauncher, ...options }), args, context);
const outputOf = (result: unknown): string =>
  String(Reflect.get(Object(Reflect.get(Object(result), 'output')), 'output'));
const messageOf = (result: unknown): string =>
  String(Reflect.get(Object(Reflect.get(Object(result), 'error')), 'message'));

/** Whether a process that writes to this file every few milliseconds still does. */
async function isTicking(path: string): Promise<boolean> {
  const before = existsSync(path) ? readFileSync(path, 'utf8').length : 0;
  await sleep(300);
  return existsSync(path) && readFileSync(path, 'utf8').length > before;
}
const ticker = 'while :; do echo x >> ticks; sleep 0.02; done';

describe('running a command', () => {
  it('gives what it wrote, to either stream, and how it ended', async () => {
    using folder = tempFolder({ 'sub/a.txt': 'hello' });
    expect(await shell(folder, { command: 'cat a.txt', cwd: 'sub' })).toEqual({
      ok: true,
      output: { exitCode: 0, output: 'hello' },
    });
    expect(await shell(folder, { command: 'echo out; echo err >&2; exit 3' })).toEqual(
      refused('failed', /^The command ended with exit code 3\.\n(?:out\nerr|err\nout)\n$/),
    );
    expect(await shell(folder, { command: 'kill -9 $$' })).toEqual(
      refused('failed', /ended by the signal SIGKILL/),
    );
  });

  it('reports what is written while it runs', async () => {
    using folder = tempFolder();
    const heard: string[] = [];
    const command = 'echo first; sleep 0.6; echo second; sleep 0.6; echo third';
    await shell(folder, { command }, { report: (progress) => void heard.push(progress) });
    expect(heard.join('')).toContain('first');
    expect(heard[0]).not.toContain('second');
  });

  it('has nothing to read, no colours, and none of our secrets', async () => {
    using folder = tempFolder();
    process.env['PAWL_TEST_API_KEY'] = 'hunter2';
    try {
      const result = await shell(folder, { command: 'env; cat; echo done' }, {}, { env: { GIVEN: 'yes' } });
      expect(outputOf(result)).not.toContain('hunter2');
      expect(outputOf(result)).toMatch(/GIVEN=yes/);
      expect(outputOf(result)).toMatch(/NO_COLOR=1/);
      expect(outputOf(result)).toMatch(/done\n$/);
    } finally {
      delete process.env['PAWL_TEST_API_KEY'];
    }
  });

  it('leaves out signs that would recolour or move the cursor', async () => {
    using folder = tempFolder();
    const result = await shell(folder, {
      command: String.raw`printf '\033[31mred\033[0m \033]0;title\007x'`,
    });
    expect(outputOf(result)).toBe('red x');
  });

  it.each(['..', '/', 'link', '/etc'])('does not run in a folder outside: %s', async (cwd) => {
    using folder = tempFolder({ 'inner/x': '' });
    symlinkSync('/', folder.at('inner/link'));
    expect(await shell({ root: folder.at('inner') }, { command: 'pwd', cwd })).toEqual(
      refused('denied', /outside/),
    );
  });

  it.each([
    [{ command: '' }, /Bad arguments/],
    [{ command: 'a\0b' }, /NUL byte/],
    [{ command: 'echo \ud800' }, /half a character/],
    [{ command: 'x'.repeat(40_000) }, /Bad arguments/],
    [{ command: 'pwd', cwd: 'nowhere' }, /There is no folder "nowhere"/],
    [{ command: 'pwd', timeoutSeconds: 0 }, /Bad arguments/],
    [{ command: ['rm', '-rf'] }, /Bad arguments/],
  ])('refuses what makes no sense (%#)', async (args, message) => {
    using folder = tempFolder();
    expect(await shell(folder, args)).toEqual(refused('invalid', message));
  });

  it('says why when it cannot be started', async () => {
    using folder = tempFolder();
    const launcher = {
      kind: 'none',
      launch: () => ({ file: '/nowhere/at-all', args: [], env: {} }),
    } as const;
    expect(await shell(folder, { command: 'pwd' }, {}, { launcher })).toEqual(
      refused('failed', /could not be started: .*ENOENT/),
    );
  });
});

describe('a long output', () => {
  it('is shown from both ends, and the whole is in a file that can be read', async () => {
    using folder = tempFolder();
    const result = await shell(folder, { command: 'seq 1 20000' });
    const text = outputOf(result);
    expect(text.length).toBeLessThan(25_000);
    expect(text).toMatch(/^1\n2\n3\n/);
    expect(text).toMatch(/\n19999\n20000\n$/);
    const [, path = ''] = /all of it is in (\S+):/.exec(text) ?? [];
    expect(readFileSync(folder.at(path), 'utf8')).toBe(
      Array.from({ length: 20_000 }, (_, at) => `${at + 1}\n`).join(''),
    );
    const read = createReadTool({ root: folder.root, paths: [] });
    expect(await runTool(read, { path, from: 10_000, to: 10_000 })).toMatchObject({
      output: { text: '10000: 10000' },
    });
    expect(readFileSync(folder.at('.pawl/output/.gitignore'), 'utf8')).toBe('*\n');
    // The same again is the same, to the letter, for whoever looks for repetition.
    expect(await shell(folder, { command: 'seq 1 20000' })).toEqual(result);
    expect(readdirSync(folder.at('.pawl/output'))).toHaveLength(2);
  });

  it('that never ends is bounded in memory and on disk, and stopped in time', async () => {
    using folder = tempFolder();
    const before = process.memoryUsage().rss;
    const result = await shell(folder, { command: 'yes "a line that goes on"', timeoutSeconds: 1 });
    expect(result).toEqual(refused('timeout', /timed out and was ended/));
    expect(messageOf(result).length).toBeLessThan(25_000);
    const [name = ''] = readdirSync(folder.at('.pawl/output')).filter((each) => each.endsWith('.txt'));
    expect(readFileSync(folder.at(`.pawl/output/${name}`)).length).toBeLessThanOrEqual(50 * 1024 * 1024);
    expect(process.memoryUsage().rss - before).toBeLessThan(400 * 1024 * 1024);
  });

  it('is not saved through a link, and the command works all the same', async () => {
    using folder = tempFolder({ 'inner/x': '' });
    mkdirSync(folder.at('outside'));
    symlinkSync(folder.at('outside'), folder.at('inner/.pawl'));
    const result = await shell({ root: folder.at('inner') }, { command: 'seq 1 20000' });
    expect(outputOf(result)).toContain('could not be saved');
    expect(readdirSync(folder.at('outside'))).toEqual([]);
  });

  it('cut in the middle of a character shows no broken one', async () => {
    using folder = tempFolder({ 'a.txt': 'é€👍'.repeat(10_000) });
    for (const shift of ['', 'x', 'xx', 'xxx']) {
      const result = await shell(folder, { command: `printf '%s' '${shift}'; cat a.txt` });
      expect(outputOf(result)).not.toContain('\ufffd');
    }
  });
});

describe('what a command has started', () => {
  it.each([
    ['in the background', `(${ticker}) & exit 0`],
    ['in a session of its own', `setsid sh -c '${ticker}' & sleep 0.2; exit 0`],
    ['with its signals ignored', `(trap '' TERM HUP INT; ${ticker}) & exit 0`],
  ])('%s ends with it', async (_, command) => {
    using folder = tempFolder();
    const result = await shell(folder, { command });
    expect(result).toMatchObject({ ok: true });
    expect(outputOf(result)).toContain('left running in the background was ended');
    expect(await isTicking(folder.at('ticks'))).toBe(false);
  });

  it.each([
    ['a child', ticker],
    ['one that ignores being asked', `trap '' TERM; ${ticker}`],
    ['grandchildren in sessions of their own', `setsid sh -c '${ticker}' & setsid sh -c '${ticker}' & wait`],
    ['one without its mark', `env -i PATH="$PATH" setsid sh -c '${ticker}' & wait`],
  ])('ends when time is up: %s', async (_, command) => {
    using folder = tempFolder();
    expect(await shell(folder, { command, timeoutSeconds: 1 })).toEqual(
      refused('timeout', /with all it had started/),
    );
    expect(existsSync(folder.at('ticks'))).toBe(true);
    expect(await isTicking(folder.at('ticks'))).toBe(false);
  });

  it('ends when it is called off', async () => {
    using folder = tempFolder();
    const controller = new AbortController();
    const running = shell(folder, { command: `echo begun; ${ticker}` }, { signal: controller.signal });
    while (!existsSync(folder.at('ticks'))) await sleep(20);
    controller.abort();
    expect(await running).toEqual(refused('cancelled', /called off and ended[\s\S]*begun/));
    expect(await isTicking(folder.at('ticks'))).toBe(false);
    expect(await shell(folder, { command: 'touch made' }, { signal: controller.signal })).toEqual(
      refused('cancelled', /called off/),
    );
    expect(existsSync(folder.at('made'))).toBe(false);
  });

  it('ends even if it forks for ever', async () => {
    using folder = tempFolder();
    // As a bomb, but with a fuse: at most so many at once, each of which starts two more.
    writeFileSync(
      folder.at('bomb.sh'),
      'echo x >> ticks; [ "$(ls /proc | grep -c "^[0-9]")" -lt 400 ] && { sh bomb.sh & sh bomb.sh & }; sleep 0.1; exec sh bomb.sh',
    );
    const result = await shell(folder, { command: 'sh bomb.sh', timeoutSeconds: 1 });
    expect(result).toEqual(refused('timeout', /ended/));
    expect(await isTicking(folder.at('ticks'))).toBe(false);
  });

  it('ends at the limit set for the tool as well, and what was written until then is told', async () => {
    using folder = tempFolder();
    const tools = withLimits([createShellTool({ root: folder.root, launcher: openLauncher })], {
      shell: { timeoutMs: 500 },
    });
    const [tool] = tools;
    if (tool === undefined) throw new Error('There is no tool.');
    const result = await runTool(tool, { command: `echo begun; ${ticker}` });
    expect(result).toEqual(refused('timeout', /What it wrote so far:\nbegun/));
    expect(await isTicking(folder.at('ticks'))).toBe(false);
  });
});

const sandbox = await findLauncher();
if (sandbox.problem !== null) process.stderr.write(`Not tested in a sandbox: ${sandbox.problem}\n`);

describe.skipIf(sandbox.problem !== null)('a command in a sandbox', () => {
  const hide = `env -i PATH="$PATH" setsid sh -c '${ticker}'`;

  it('works in the folder and nowhere else, and its long output is saved all the same', async () => {
    using folder = tempFolder();
    const args = { command: 'echo in > a.txt; cat a.txt; (echo out > /etc/pawl-test) 2>&1; seq 1 20000' };
    const result = await shell(folder, args, {}, { launcher: sandbox });
    expect(outputOf(result)).toMatch(/^in\n.*Read-only file system/);
    expect(outputOf(result)).toMatch(/all of it is in \.pawl\/output\//);
    expect(readFileSync(folder.at('a.txt'), 'utf8')).toBe('in\n');
  });

  it.each([
    ['by itself', `${hide} & sleep 0.3; exit 0`, true],
    ['when time is up', `${hide} & sleep 100`, false],
  ])('leaves nothing behind %s, not even what has taken off its mark', async (_, command, ok) => {
    using folder = tempFolder();
    const result = await shell(folder, { command, timeoutSeconds: 1 }, {}, { launcher: sandbox });
    expect(result.ok).toBe(ok);
    expect(existsSync(folder.at('ticks'))).toBe(true);
    expect(await isTicking(folder.at('ticks'))).toBe(false);
  });
});
