import { createTrustStore } from '@pawl/runtime/trust';
import { readConfigFile } from '@pawl/runtime/config-files';
import { dirname, join, resolve } from 'node:path';
import {
  ConfigFileError,
  findConfigFile,
  evaluateConfig,
  getUserConfigFolder,
  toTrustedContents,
  type Config,
} from '@pawl/runtime/config';
import { exitCodes, type ExitCode, UsageError } from '../../output/exit-codes.ts';
import type { CommandIo } from '../../output/command-io.ts';
import { sanitizeOneLine } from '../../output/sanitize-text.ts';
import { resolveProfileOption, toConfigUsageError, withSetupUsageErrors } from '../../options/load-config.ts';
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
  /** One-line description of the first problem; null if there is none. */
  readonly problem: string | null;
  readonly line: number | null;
  readonly problems: readonly ConfigProblem[];
  readonly warnings: readonly string[];
};

type ConfigProblem = ConfigFileError['problems'][number];

/** Checks one file, or every file that applies to a folder, and reports all problems. */
export async function checkConfig(
  file: string | undefined,
  { dir, json }: ConfigFileOptions,
  io: CommandIo,
): Promise<ExitCode> {
  const files = file === undefined ? await checkConfigFolders(dir) : [await checkConfigFile(resolve(file))];
  const ok = files.every((each) => each.ok);
  if (json === true) io.stdout.write(`${JSON.stringify({ ok, files }, null, 2)}\n`);
  else io.stdout.write(formatConfigChecks(files));
  return ok ? exitCodes.finished : exitCodes.usage;
}

async function checkConfigFolders(dir: string): Promise<readonly ConfigCheck[]> {
  const folders = [getUserConfigFolder(), await resolveFolder(dir)];
  const checks = await Promise.all(
    folders.map(async (folder) => {
      try {
        const path = await findConfigFile(folder);
        return path === null ? [] : [await checkConfigFile(path)];
      } catch (error) {
        if (!(error instanceof ConfigFileError)) throw error;
        return [createConfigCheck(error.path, error.problems)];
      }
    }),
  );
  return checks.flat();
}

function createConfigCheck(
  path: string,
  problems: readonly ConfigProblem[],
  warnings: readonly string[] = [],
): ConfigCheck {
  const { message: problem = null, line = null } = problems[0] ?? {};
  return { path, ok: problems.length === 0, problem, line, problems, warnings };
}

async function checkConfigFile(path: string): Promise<ConfigCheck> {
  try {
    const contents = await readConfigFile(path);
    const mayRun = !contents.isCode || isUserConfig(path) || (await isTrustedConfig(path));
    if (!mayRun)
      return createConfigCheck(
        path,
        [],
        [`${path} is code that is not trusted, so it was not run and its settings were not checked.`],
      );
    const { config, warnings } = await evaluateConfig(contents);
    return createConfigCheck(path, await findReferenceProblems(path, config), warnings);
  } catch (error) {
    if (!(error instanceof ConfigFileError)) throw error;
    if (error.code === 'missing') throw new UsageError(error.message, { cause: error });
    return createConfigCheck(path, error.problems);
  }
}

/** Checks what the schema cannot: the names of models, and the file of a profile. */
async function findReferenceProblems(path: string, config: Config): Promise<readonly ConfigProblem[]> {
  const { model, summaryModel, profile } = config;
  const { parseModelSpec } = await import('@pawl/runtime/models');
  const checks: readonly (readonly [string, () => unknown])[] = [
    ['model', () => model !== undefined && parseModelSpec(model)],
    [
      'summaryModel',
      () => summaryModel !== undefined && summaryModel !== 'same' && parseModelSpec(summaryModel),
    ],
    ['profile', () => profile !== undefined && resolveProfileOption(profile)],
  ];
  const problems = await Promise.all(
    checks.map(async ([key, check]) => {
      try {
        await withSetupUsageErrors(async () => check());
        return [];
      } catch (error) {
        if (!(error instanceof UsageError)) throw error;
        return [{ message: `${JSON.stringify(path)}: ${key}: ${error.message}`, line: null }];
      }
    }),
  );
  return problems.flat();
}

function isUserConfig(path: string): boolean {
  return dirname(path) === getUserConfigFolder();
}

function formatConfigChecks(files: readonly ConfigCheck[]): string {
  if (files.length === 0)
    return 'No configuration file found; the defaults apply. To create one: pawl init\n';
  return files
    .flatMap(({ path, problems, warnings }) => [
      ...(problems.length === 0 ? [`ok       ${path}`] : []),
      ...problems.map(({ message }) => `ERROR    ${message}`),
      ...warnings.map((warning) => `warning  ${warning}`),
    ])
    .map((line) => `${sanitizeOneLine(line)}\n`)
    .join('');
}
