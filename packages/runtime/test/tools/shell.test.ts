import { existsSync, mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import type { Json } from '@pawl/core';
import { describe, expect, it } from 'vitest';
import { detectSandbox } from '../../src/sandbox/detect-sandbox.ts';
import { passthroughSandbox } from '../../src/sandbox/command-sandbox.ts';
import { createShellTool, type CommandOptions } from '../../src/tools/shell.ts';
import { createReadTool } from '../../src/tools/read.ts';
import { applyToolLimits } from '../../src/tools/limits.ts';
import { createTempFolder, type TempFolder } from '../search/temp-folder.ts';
import { createHandClock } from './hand-clock.ts';
import { countProcesses } from './running-processes.ts';
import { matchRefusal, runTestTool } from './run-test-tool.ts';

const runShellTool = (
  { root }: Pick<TempFolder, 'root'>,
  args: Json,
  context: Parameters<typeof runTestTool>[2] = {},
  options: Partial<CommandOptions> = {},
) => runTestTool(createShellTool({ root, sandbox: passthroughSandbox, ...options }), args, context);
const getShellOutput = (result: unknown): string =>
  String(Reflect.get(Object(Reflect.get(Object(result), 'output')), 'output'));
const getShellMessage = (result: unknown): string =>
  String(Reflect.get(Object(Reflect.get(Object(result), 'error')), 'message'));

/** Writes to `ticks` without end. Its command line holds the folder, by which it is found. */
const tickerCommand = (folder: TempFolder): string =>
  `while :; do echo x >> "${folder.at('ticks')}"; sleep 0.02; done`;

const expectTicks = (folder: TempFolder): Promise<void> =>
  expect.poll(() => existsSync(folder.at('ticks'))).toBe(true);

const expectAllEnded = ({ root }: TempFolder): Promise<void> =>
  expect.poll(() => countProcesses(root)).toBe(0);

/** Runs a command until it has written to `ticks`, or until another condition holds, and then lets it time out. */
async function runOutOfTime(
  folder: TempFolder,
  command: string,
  {
    until = () => expectTicks(folder),
    ...options
  }: Partial<CommandOptions> & { until?: () => Promise<void> } = {},
) {
  const late = new AbortController();
  const running = runShellTool(folder, { command }, { signal: late.signal }, options);
  await until();
  late.abort(new DOMException('Time is up.', 'TimeoutError'));
  return running;
}

const waitFor = (file: string): string => `until [ -e ${file} ]; do sleep 0.01; done`;

describe('running a command', { tags: ['unix'] }, () => {
  it('returns the output of both streams and the exit code', async () => {
    using folder = createTempFolder({ 'sub/a.txt': 'hello' });
    expect(await runShellTool(folder, { command: 'cat a.txt', cwd: 'sub' })).toEqual({
      ok: true,
      output: { exitCode: 0, output: 'hello' },
    });
    expect(await runShellTool(folder, { command: 'echo out; echo err >&2; exit 3' })).toEqual(
      matchRefusal('failed', /^The command ended with exit code 3\.\n(?:out\nerr|err\nout)\n$/),
    );
    expect(await runShellTool(folder, { command: 'kill -9 $$' })).toEqual(
      matchRefusal('failed', /killed by signal SIGKILL/),
    );
  });

  it('reports output while it runs', async () => {
    using folder = createTempFolder();
    const progress: string[] = [];
    const command = `echo first; ${waitFor('one')}; echo second; ${waitFor('two')}; echo third`;
    const report = (output: string): void => {
      progress.push(output);
      // It continues only after its output so far was reported.
      writeFileSync(folder.at(output.includes('first') ? 'one' : 'two'), '');
    };
    await runShellTool(folder, { command }, { report });
    expect(progress.slice(0, 2)).toEqual(['first\n', 'second\n']);
  });

  it('has no input, no colors, and no secrets', async () => {
    using folder = createTempFolder();
    process.env['PAWL_TEST_API_KEY'] = 'hunter2';
    try {
      const result = await runShellTool(
        folder,
        { command: 'env; cat; echo done' },
        {},
        { env: { GIVEN: 'yes' } },
      );
      expect(getShellOutput(result)).not.toContain('hunter2');
      expect(getShellOutput(result)).toMatch(/GIVEN=yes/);
      expect(getShellOutput(result)).toMatch(/NO_COLOR=1/);
      expect(getShellOutput(result)).toMatch(/done\n$/);
    } finally {
      delete process.env['PAWL_TEST_API_KEY'];
    }
  });

  it('strips control sequences', async () => {
    using folder = createTempFolder();
    const result = await runShellTool(folder, {
      command: String.raw`printf '\033[31mred\033[0m \033]0;title\007x'`,
    });
    expect(getShellOutput(result)).toBe('red x');
  });

  it.each(['..', '/', 'link', '/etc'])('does not run in a folder outside: %s', async (cwd) => {
    using folder = createTempFolder({ 'inner/x': '' });
    symlinkSync('/', folder.at('inner/link'));
    expect(await runShellTool({ root: folder.at('inner') }, { command: 'pwd', cwd })).toEqual(
      matchRefusal('denied', /outside/),
    );
  });

  it.each([
    [{ command: '' }, /Invalid arguments/],
    [{ command: 'a\0b' }, /NUL byte/],
    [{ command: 'echo \ud800' }, /half a character/],
    [{ command: 'x'.repeat(40_000) }, /Invalid arguments/],
    [{ command: 'pwd', cwd: 'nowhere' }, /There is no folder "nowhere"/],
    [{ command: 'pwd', timeoutSeconds: 0 }, /Invalid arguments/],
    [{ command: ['rm', '-rf'] }, /Invalid arguments/],
  ])('rejects invalid input (%#)', async (args, message) => {
    using folder = createTempFolder();
    expect(await runShellTool(folder, args)).toEqual(matchRefusal('invalid', message));
  });

  it('reports why it cannot be started', async () => {
    using folder = createTempFolder();
    const sandbox = {
      kind: 'none',
      launch: () => ({ file: '/nowhere/at-all', args: [], env: {} }),
    } as const;
    expect(await runShellTool(folder, { command: 'pwd' }, {}, { sandbox })).toEqual(
      matchRefusal('failed', /could not be started: .*ENOENT/),
    );
  });
});

describe('a long output', { tags: ['unix'] }, () => {
  it('is truncated in the middle, and saved in full to a readable file', async () => {
    using folder = createTempFolder();
    const result = await runShellTool(folder, { command: 'seq 1 20000' });
    const text = getShellOutput(result);
    expect(text.length).toBeLessThan(25_000);
    expect(text).toMatch(/^1\n2\n3\n/);
    expect(text).toMatch(/\n19999\n20000\n$/);
    const [, path = ''] = /the full output is in (\S+),/.exec(text) ?? [];
    expect(readFileSync(folder.at(path), 'utf8')).toBe(
      Array.from({ length: 20_000 }, (_, at) => `${at + 1}\n`).join(''),
    );
    const read = createReadTool({ root: folder.root, paths: [] });
    expect(await runTestTool(read, { path, from: 10_000, to: 10_000 })).toMatchObject({
      output: { text: '10000: 10000' },
    });
    expect(readFileSync(folder.at('.pawl/output/.gitignore'), 'utf8')).toBe('*\n');
    // A repeated result is identical, so that repetition can be detected.
    expect(await runShellTool(folder, { command: 'seq 1 20000' })).toEqual(result);
    expect(readdirSync(folder.at('.pawl/output'))).toHaveLength(2);
  });

  it('that never ends is bounded in memory and on disk, and stopped at the timeout', async () => {
    using folder = createTempFolder();
    const before = process.memoryUsage().rss;
    const command = `yes "a line that goes on" | tee "${folder.at('ticks')}"`;
    const isSaved = (): boolean => existsSync(folder.at('.pawl/output'));
    const result = await runOutOfTime(folder, command, { until: () => expect.poll(isSaved).toBe(true) });
    expect(result).toEqual(matchRefusal('timeout', /timed out and was killed/));
    expect(getShellMessage(result).length).toBeLessThan(25_000);
    const [name = ''] = readdirSync(folder.at('.pawl/output')).filter((each) => each.endsWith('.txt'));
    expect(readFileSync(folder.at(`.pawl/output/${name}`)).length).toBeLessThanOrEqual(50 * 1024 * 1024);
    expect(process.memoryUsage().rss - before).toBeLessThan(400 * 1024 * 1024);
    await expectAllEnded(folder);
  });

  it('is not saved through a link, and the command still works', async () => {
    using folder = createTempFolder({ 'inner/x': '' });
    mkdirSync(folder.at('outside'));
    symlinkSync(folder.at('outside'), folder.at('inner/.pawl'));
    const result = await runShellTool({ root: folder.at('inner') }, { command: 'seq 1 20000' });
    expect(getShellOutput(result)).toContain('could not be saved');
    expect(readdirSync(folder.at('outside'))).toEqual([]);
  });

  it('truncated within a character shows no broken character', async () => {
    using folder = createTempFolder({ 'a.txt': 'é€👍'.repeat(10_000) });
    for (const shift of ['', 'x', 'xx', 'xxx']) {
      const result = await runShellTool(folder, { command: `printf '%s' '${shift}'; cat a.txt` });
      expect(getShellOutput(result)).not.toContain('\ufffd');
    }
  });
});

describe('what a command has started', { tags: ['unix'] }, () => {
  it.each([
    ['in the background', (tick: string) => `(${tick}) & exit 0`],
    ['in a session of its own', (tick: string) => `setsid sh -c '${tick}' & sleep 0.2; exit 0`],
    ['with its signals ignored', (tick: string) => `(trap '' TERM HUP INT; ${tick}) & exit 0`],
  ])('%s ends with it', async (_, command) => {
    using folder = createTempFolder();
    const result = await runShellTool(folder, { command: command(tickerCommand(folder)) });
    expect(result).toMatchObject({ ok: true });
    expect(getShellOutput(result)).toContain('Background processes that were still running have been killed');
    await expectAllEnded(folder);
  });

  it.each([
    ['a child', (tick: string) => tick],
    ['one that ignores being asked', (tick: string) => `trap '' TERM; ${tick}`],
    [
      'grandchildren in sessions of their own',
      (tick: string) => `setsid sh -c '${tick}' & setsid sh -c '${tick}' & wait`,
    ],
    ['one without its mark', (tick: string) => `env -i PATH="$PATH" setsid sh -c '${tick}' & wait`],
  ])('is killed at the timeout: %s', async (_, command) => {
    using folder = createTempFolder();
    expect(await runOutOfTime(folder, command(tickerCommand(folder)))).toEqual(
      matchRefusal('timeout', /with all processes it started/),
    );
    await expectAllEnded(folder);
  });

  it('is killed at the requested timeout', async () => {
    using folder = createTempFolder();
    const command = `sleep 1000 & wait # ${folder.root}`;
    expect(await runShellTool(folder, { command, timeoutSeconds: 1 })).toEqual(
      matchRefusal('timeout', /with all processes it started/),
    );
    await expectAllEnded(folder);
  });

  it('is killed on abort', async () => {
    using folder = createTempFolder();
    const controller = new AbortController();
    const running = runShellTool(
      folder,
      { command: `echo begun; ${tickerCommand(folder)}` },
      { signal: controller.signal },
    );
    await expectTicks(folder);
    controller.abort();
    expect(await running).toEqual(matchRefusal('cancelled', /cancelled and killed[\s\S]*begun/));
    await expectAllEnded(folder);
    expect(await runShellTool(folder, { command: 'touch made' }, { signal: controller.signal })).toEqual(
      matchRefusal('cancelled', /cancelled/),
    );
    expect(existsSync(folder.at('made'))).toBe(false);
  });

  it('is killed even if it forks forever', async () => {
    using folder = createTempFolder();
    // As a bomb, but with a fuse: at most so many at once, each of which starts two more.
    writeFileSync(
      folder.at('bomb.sh'),
      'echo x >> count; [ "$(wc -l < count)" -ge 30 ] && : > ticks; [ "$(ls /proc | grep -c "^[0-9]")" -lt 400 ] && { sh "$0" & sh "$0" & }; sleep 0.1; exec sh "$0"',
    );
    const result = await runOutOfTime(folder, `sh "${folder.at('bomb.sh')}"`);
    expect(result).toEqual(matchRefusal('timeout', /killed/));
    await expectAllEnded(folder);
  });

  it("is killed at the tool's timeout as well, and its output so far is returned", async () => {
    using folder = createTempFolder();
    const clock = createHandClock();
    const shellTool = createShellTool({ root: folder.root, sandbox: passthroughSandbox });
    const [tool] = applyToolLimits([shellTool], { shell: { timeoutMs: 500 } }, clock);
    if (tool === undefined) throw new Error('There is no tool.');
    const running = runTestTool(tool, { command: `echo begun; ${tickerCommand(folder)}` });
    await expectTicks(folder);
    await clock.pass(500);
    expect(await running).toEqual(matchRefusal('timeout', /Output so far:\nbegun/));
    await expectAllEnded(folder);
  });
});

const detectedSandbox = await detectSandbox({ timeoutMs: 120_000 });

const hide = (folder: TempFolder): string => `env -i PATH="$PATH" setsid sh -c '${tickerCommand(folder)}'`;

describe('a command in a sandbox', { tags: ['bubblewrap'] }, () => {
  it('works only in the folder, and its long output is saved', async () => {
    using folder = createTempFolder();
    const args = { command: 'echo in > a.txt; cat a.txt; (echo out > /etc/pawl-test) 2>&1; seq 1 20000' };
    const result = await runShellTool(folder, args, {}, { sandbox: detectedSandbox });
    expect(getShellOutput(result)).toMatch(/^in\n.*Read-only file system/);
    expect(getShellOutput(result)).toMatch(/the full output is in \.pawl\/output\//);
    expect(readFileSync(folder.at('a.txt'), 'utf8')).toBe('in\n');
  });

  it('leaves no process behind, not even one that removed its mark', async () => {
    using folder = createTempFolder();
    const command = `${hide(folder)} & until [ -e ticks ]; do sleep 0.01; done; exit 0`;
    expect(await runShellTool(folder, { command }, {}, { sandbox: detectedSandbox })).toMatchObject({
      ok: true,
    });
    await expectAllEnded(folder);
  });

  it('leaves no process behind at the timeout, not even one that removed its mark', async () => {
    using folder = createTempFolder();
    const result = await runOutOfTime(folder, `${hide(folder)} & sleep 100`, { sandbox: detectedSandbox });
    expect(result).toMatchObject({ ok: false });
    await expectAllEnded(folder);
  });
});
