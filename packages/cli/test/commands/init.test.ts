import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { initProject, type InitOptions } from '../../src/commands/init/action.ts';
import { loadConfig } from '../../src/options/load-config.ts';
import { captureIo } from '../capture-io.ts';

let dir = '';

beforeEach(() => {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-init-')));
  dir = join(home, 'project');
  mkdirSync(dir);
  vi.stubEnv('XDG_CONFIG_HOME', join(home, 'config'));
});

afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(join(dir, '..'), { recursive: true, force: true });
});

async function runInit(options: Partial<InitOptions>): Promise<{ code: number; out: string; err: string }> {
  const { io, out, err } = captureIo();
  const code = await initProject({ dir, ...options }, io);
  return { code, out: out(), err: err() };
}

/** A terminal that answers one question after the other and ends the input after the last answer. */
function createAnsweringIo(...answers: readonly string[]): ReturnType<typeof captureIo> {
  const stdin = Object.assign(new PassThrough(), { isTTY: true });
  const captured = captureIo();
  const left = [...answers];
  const { stderr } = captured.io;
  const write = stderr.write.bind(stderr);
  Object.assign(stderr, {
    isTTY: true,
    write(text: string, ...rest: never[]): boolean {
      if (text.endsWith('] ')) {
        const next = left.shift();
        setImmediate(() => void (next === undefined ? stdin.end() : stdin.write(`${next}\n`)));
      }
      return write(text, ...rest);
    },
  });
  return { ...captured, io: { ...captured.io, stdin } };
}

describe('pawl init', () => {
  it.each(['yaml', 'json', 'ts'])('writes a configuration in %s that applies at once', async (format) => {
    const flags = {
      model: 'ollama:it\'s "a" \\ model',
      mode: 'read-only',
      profile: 'loom',
      testCommand: 'make "test: #1"',
    };
    const { code, out, err } = await runInit({ format, yes: true, ...flags });
    expect(code).toBe(0);
    expect(err).toBe('');
    const path = join(dir, `pawl.config.${format}`);
    expect(out).toContain(`Wrote ${path} and trusted it`);
    expect(await loadConfig(dir, {}, null)).toStrictEqual({
      config: {
        model: flags.model,
        profile: 'loom',
        permission: { mode: 'read-only', rules: [] },
        testCommand: flags.testCommand,
      },
      warnings: [],
    });
  });

  it('explains every key if the format has comments', async () => {
    await runInit({ yes: true });
    const text = readFileSync(join(dir, 'pawl.config.yaml'), 'utf8');
    for (const key of ['model', 'profile', 'permission', 'testCommand', 'budgets', 'mcpServers'])
      expect(text).toMatch(new RegExp(`# .*\\n(?:# )?${key}:`));
  });

  it('uses the defaults without a terminal, and the test script of an npm package', async () => {
    writeFileSync(join(dir, 'package.json'), '{"scripts":{"test":"vitest"}}');
    const { out } = await runInit({ json: true });
    expect(JSON.parse(out)).toStrictEqual({
      path: join(dir, 'pawl.config.yaml'),
      format: 'yaml',
      trusted: true,
      config: { model: 'librarian', profile: 'pawl', permission: { mode: 'ask' }, testCommand: 'npm test' },
    });
  });

  it('asks for what the command line leaves open, and again after an invalid answer', async () => {
    const { io, err } = createAnsweringIo('olama:x', 'ollama:x', '', '', 'json');
    expect(await initProject({ dir }, io)).toBe(0);
    expect(err()).toContain('There is no model "olama:x". Did you mean ollama?');
    expect(err()).toContain('What may run without asking? read-only, ask, auto-edit, full-auto [ask] ');
    expect(err()).toContain('Which command runs the tests? [none] ');
    expect(JSON.parse(readFileSync(join(dir, 'pawl.config.json'), 'utf8'))).toStrictEqual({
      model: 'ollama:x',
      profile: 'pawl',
      permission: { mode: 'ask' },
    });
  });

  it('writes nothing if the user cancels', async () => {
    const { io, err } = createAnsweringIo('librarian');
    expect(await initProject({ dir }, io)).toBe(130);
    expect(err()).toContain('Nothing was written.');
    expect(existsSync(join(dir, 'pawl.config.yaml'))).toBe(false);
  });

  it('reports that a project cannot allow more than the user configuration', async () => {
    const { code, err } = await runInit({ yes: true, mode: 'auto-edit' });
    expect(code).toBe(0);
    expect(err).toMatch(/^The effective permission mode is ask: .*--mode auto-edit\.\n$/);
    expect((await loadConfig(dir, {}, null)).config.permission?.mode).toBe('ask');
  });

  it.each([
    [{ mode: 'full-atuo' }, 'Unknown mode "full-atuo". Did you mean full-auto?'],
    [{ format: 'toml' }, 'Unknown format "toml". Available: yaml, json, ts.'],
    [{ model: 'ollama' }, 'There is no model "ollama". A model is one of'],
    [{ profile: 'lom' }, 'Unknown profile "lom". Did you mean loom?'],
    [{ dir: '/does/not/exist' }, 'Folder "/does/not/exist" does not exist'],
  ])('reports what is wrong with %j and writes nothing', async (options, problem) => {
    await expect(runInit({ yes: true, ...options })).rejects.toThrow(problem);
    expect(existsSync(join(dir, 'pawl.config.yaml'))).toBe(false);
  });

  it('never overwrites a configuration', async () => {
    writeFileSync(join(dir, 'pawl.config.json'), '{}');
    await expect(runInit({ yes: true })).rejects.toThrow('A configuration file already exists');
    expect(readFileSync(join(dir, 'pawl.config.json'), 'utf8')).toBe('{}');
  });
});
