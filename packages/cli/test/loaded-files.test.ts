import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const bin = join(import.meta.dirname, '../bin/pawl.js');
const preload = pathToFileURL(join(import.meta.dirname, 'fixtures/loaded-modules.ts')).href;
const packages = pathToFileURL(join(import.meta.dirname, '../..')).href;

/** Files that every run loads cost startup time; parts that few runs use are imported where they are used. */
const projectFilesMax = 200;

let folder = '';

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pawl-loaded-'));
  await writeFile(join(folder, 'moon.md'), '# Moon\n\nThe moon rises in the evening.\n');
});

afterEach(() => rm(folder, { recursive: true, force: true }));

/** Runs pawl in a separate process and returns the project files that it loads. */
async function listLoadedFiles(...args: readonly string[]): Promise<readonly string[]> {
  const loadedModulesFile = join(folder, 'loaded.txt');
  await promisify(execFile)(process.execPath, ['--import', preload, bin, ...args], {
    cwd: folder,
    env: {
      ...process.env,
      LOADED_MODULES: loadedModulesFile,
      XDG_CONFIG_HOME: join(folder, 'config'),
      XDG_DATA_HOME: join(folder, 'data'),
    },
  });
  const urls = new Set((await readFile(loadedModulesFile, 'utf8')).trim().split('\n'));
  return [...urls].filter((url) => url.startsWith(`${packages}/`) && !url.includes('/node_modules/'));
}

describe('the files that pawl loads', () => {
  it('are few for an offline run, and none belong to a part that it does not use', async () => {
    const files = await listLoadedFiles('run', 'When does the moon rise?');
    expect(files.some((file) => file.endsWith('/runtime/src/models/librarian.ts'))).toBe(true);
    const unused =
      /\/(?:mcp|hooks|sandbox|protocols|logging|traces|telemetry|dashboard|worker|adapters|lkj)\//;
    expect(files.filter((file) => unused.test(file))).toEqual([]);
    expect(files.length).toBeLessThanOrEqual(projectFilesMax);
  });

  it('are only those of the command line for the help', async () => {
    const files = await listLoadedFiles('--help');
    expect(files.filter((file) => !file.startsWith(`${packages}/cli/`))).toEqual([]);
  });
});
