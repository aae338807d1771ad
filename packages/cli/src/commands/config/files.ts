import { createTrustStore } from '@pawl/runtime/trust';
import { readConfigFile } from '@pawl/runtime/config-files';
import { dirname, join, resolve } from 'node:path';
import {
  ConfigFileError,
  findConfigFile,
  evaluateConfig,
  getUserConfigFolder,
  toTrustedContents,
} from '@pawl/runtime/config';
import { exitCodes, type ExitCode, UsageError } from '../../output/exit-codes.ts';
import type { CommandIo } from '../../output/command-io.ts';
import { sanitizeOneLine } from '../../output/sanitize-text.ts';
import { toConfigUsageError } from '../../options/load-config.ts';
import { resolveFolder } from '../../options/parse-options.ts';

export type ConfigFileOptions = { readonly dir: string; readonly json?: boolean | undefined };

/** The location of an existing or a possible configuration file. */
type ConfigLocation = { readonly path: string; readonly exists: boolean; readonly trusted: boolean };

/** File name if there is no configuration yet. */
const defaultConfigName = 'pawl.config.yaml';

export async function showConfigPaths({ dir, json }: ConfigFileOptions, io: CommandIo): Promise<ExitCode> {
  const folder = await resolveFolder(dir);
  const user = await locateConfig(getUserConfigFolder(), async () => true);
  const project = await locateConfig(folder, (path) => isTrustedConfig(path));
  if (json === true) {
    io.stdout.write(`${JSON.stringify({ user, project }, null, 2)}\n`);
    return exitCodes.finished;
  }
  io.stdout.write(`user     ${sanitizeOneLine(user.path)}${user.exists ? '' : '  (does not exist)'}\n`);
  const remark = project.exists
    ? '  (not trusted; to trust it: pawl trust)'
    : '  (does not exist; to create it: pawl init)';
  io.stdout.write(`project  ${sanitizeOneLine(project.path)}${project.trusted ? '' : remark}\n`);
  return exitCodes.finished;
}

async function locateConfig(
  folder: string,
  isTrusted: (path: string) => Promise<boolean>,
): Promise<ConfigLocation> {
  const path = await findConfigFile(folder).catch((error: unknown) => {
    throw toConfigUsageError(error);
  });
  if (path === null) return { path: join(folder, defaultConfigName), exists: false, trusted: false };
  return { path, exists: true, trusted: await isTrusted(path) };
}

/** An unreadable file is not trusted. */
async function isTrustedConfig(path: string): Promise<boolean> {
  const contents = await readConfigFile(path).catch(() => null);
  return contents !== null && createTrustStore().isTrusted(dirname(path), toTrustedContents(contents));
}

type ConfigCheck = {
  readonly path: string;
  readonly ok: boolean;
  /** One-line description of the problem; null if there is none. */
  readonly problem: string | null;
  readonly line: number | null;
  readonly warnings: readonly string[];
};

/** Checks one file, or every file that applies to a folder. The exit code is 1 if any of them is invalid. */
export async function checkConfig(
  file: string | undefined,
  { dir, json }: ConfigFileOptions,
  io: CommandIo,
): Promise<ExitCode> {
  const paths = file === undefined ? await findConfigPaths(dir) : [resolve(file)];
  const files = await Promise.all(paths.map(checkConfigFile));
  const ok = files.every((each) => each.ok);
  if (json === true) io.stdout.write(`${JSON.stringify({ ok, files }, null, 2)}\n`);
  else io.stdout.write(formatConfigChecks(files));
  return ok ? exitCodes.finished : exitCodes.failed;
}

async function findConfigPaths(dir: string): Promise<readonly string[]> {
  const folders = [getUserConfigFolder(), await resolveFolder(dir)];
  const paths = await Promise.all(folders.map((folder) => findConfigFile(folder))).catch((error: unknown) => {
    throw toConfigUsageError(error);
  });
  return paths.filter((path) => path !== null);
}

async function checkConfigFile(path: string): Promise<ConfigCheck> {
  try {
    const contents = await readConfigFile(path);
    const mayRun = !contents.isCode || isUserConfig(path) || (await isTrustedConfig(path));
    if (!mayRun)
      return {
        path,
        ok: true,
        problem: null,
        line: null,
        warnings: [
          `${path} is code that is not trusted, so it was not run and its settings were not checked.`,
        ],
      };
    const { warnings } = await evaluateConfig(contents);
    return { path, ok: true, problem: null, line: null, warnings };
  } catch (error) {
    if (!(error instanceof ConfigFileError)) throw error;
    if (error.code === 'missing') throw new UsageError(error.message, { cause: error });
    return { path, ok: false, problem: error.message, line: error.line, warnings: [] };
  }
}

function isUserConfig(path: string): boolean {
  return dirname(path) === getUserConfigFolder();
}

function formatConfigChecks(files: readonly ConfigCheck[]): string {
  if (files.length === 0)
    return 'No configuration file found; the defaults apply. To create one: pawl init\n';
  return files
    .flatMap(({ path, problem, warnings }) => [
      problem === null ? `ok       ${path}` : `ERROR    ${problem}`,
      ...warnings.map((warning) => `warning  ${warning}`),
    ])
    .map((line) => `${sanitizeOneLine(line)}\n`)
    .join('');
}
