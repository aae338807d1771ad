import { dirname, join, resolve } from 'node:path';
import { ConfigFileError, findConfig, readConfigFile, trustStore, userConfigFolder } from '@pawl/runtime';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import type { Io } from '../io.ts';
import { UsageError } from '../usage-error.ts';
import { visibleLine } from '../visible.ts';
import { asUsage, contentsOf, loaded } from './config-layers.ts';
import { folderNamed } from '../folder-option.ts';

export type ConfigFileOptions = { readonly dir: string; readonly json?: boolean | undefined };

/** Where a configuration is, or would be. */
type ConfigPlace = { readonly path: string; readonly exists: boolean; readonly trusted: boolean };

/** What a file is called where there is none yet. */
const usualName = 'pawl.config.yaml';

export async function showPaths({ dir, json }: ConfigFileOptions, io: Io): Promise<ExitCode> {
  const folder = await folderNamed(dir);
  const user = await placeIn(userConfigFolder(), async () => true);
  const project = await placeIn(folder, (path) => isTrusted(path));
  if (json === true) {
    io.stdout.write(`${JSON.stringify({ user, project }, null, 2)}\n`);
    return exitCodes.finished;
  }
  io.stdout.write(`user     ${visibleLine(user.path)}${user.exists ? '' : '  (not there)'}\n`);
  const remark = project.exists ? '  (not trusted: pawl trust)' : '  (not there: pawl init)';
  io.stdout.write(`project  ${visibleLine(project.path)}${project.trusted ? '' : remark}\n`);
  return exitCodes.finished;
}

async function placeIn(folder: string, trusts: (path: string) => Promise<boolean>): Promise<ConfigPlace> {
  const path = await findConfig(folder).catch((error: unknown) => {
    throw asUsage(error);
  });
  if (path === null) return { path: join(folder, usualName), exists: false, trusted: false };
  return { path, exists: true, trusted: await trusts(path) };
}

/** A file that cannot be read cannot be trusted. */
async function isTrusted(path: string): Promise<boolean> {
  const read = await readConfigFile(path).catch(() => null);
  return read !== null && trustStore().isTrusted(dirname(path), contentsOf(read));
}

/** What was found out about one file. */
type Checked = {
  readonly path: string;
  readonly ok: boolean;
  /** What is wrong, in one line; null when nothing is. */
  readonly problem: string | null;
  readonly line: number | null;
  readonly warnings: readonly string[];
};

/** Checks a file, or whatever has a say in a folder. The exit code is 1 when one of them cannot be used. */
export async function checkConfig(
  file: string | undefined,
  { dir, json }: ConfigFileOptions,
  io: Io,
): Promise<ExitCode> {
  const paths = file === undefined ? await pathsFor(dir) : [resolve(file)];
  const files = await Promise.all(paths.map(check));
  const ok = files.every((each) => each.ok);
  if (json === true) io.stdout.write(`${JSON.stringify({ ok, files }, null, 2)}\n`);
  else io.stdout.write(report(files));
  return ok ? exitCodes.finished : exitCodes.failed;
}

async function pathsFor(dir: string): Promise<readonly string[]> {
  const folders = [userConfigFolder(), await folderNamed(dir)];
  const found = await Promise.all(folders.map((folder) => findConfig(folder))).catch((error: unknown) => {
    throw asUsage(error);
  });
  return found.filter((path) => path !== null);
}

async function check(path: string): Promise<Checked> {
  try {
    const read = await readConfigFile(path);
    const mayRun = !read.isCode || isUsers(path) || (await isTrusted(path));
    if (!mayRun)
      return {
        path,
        ok: true,
        problem: null,
        line: null,
        warnings: [`${path} is a program, and not trusted: it was not run, so what it sets was not checked.`],
      };
    const { warnings } = await loaded(read);
    return { path, ok: true, problem: null, line: null, warnings };
  } catch (error) {
    if (!(error instanceof ConfigFileError)) throw error;
    if (error.code === 'missing') throw new UsageError(error.message, { cause: error });
    return { path, ok: false, problem: error.message, line: error.line, warnings: [] };
  }
}

function isUsers(path: string): boolean {
  return dirname(path) === userConfigFolder();
}

function report(files: readonly Checked[]): string {
  if (files.length === 0)
    return 'There is no configuration to check: the defaults hold. To write one: pawl init\n';
  return files
    .flatMap(({ path, problem, warnings }) => [
      problem === null ? `ok       ${path}` : `WRONG    ${problem}`,
      ...warnings.map((warning) => `warning  ${warning}`),
    ])
    .map((line) => `${visibleLine(line)}\n`)
    .join('');
}
