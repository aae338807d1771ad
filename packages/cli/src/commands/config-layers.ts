import { basename } from 'node:path';
import {
  ConfigFileError,
  findConfig,
  readConfigFile,
  trustStore,
  userConfigFolder,
  type Config,
  type ReadConfig,
} from '@pawl/runtime';
import { confirms, type Terminal } from '../terminal.ts';
import { UsageError } from '../usage-error.ts';
import {
  configFromEnvironment,
  ConfigVariableError,
  runConfigCode,
  type ConfigLayers,
} from './config-runtime.ts';

/** Everything that has a say in how an agent works in a folder, each by itself. */
export type FoundLayers = {
  readonly layers: ConfigLayers;
  readonly userFile: string | null;
  readonly projectFile: string | null;
  /** Whether the project's file counts; false where there is none. */
  readonly isTrusted: boolean;
  readonly warnings: readonly string[];
};

type Machine = { readonly env: NodeJS.ProcessEnv };

/**
 * What the user, the project, the environment and the command line say. What a project brings along takes effect only once
 * the user has trusted exactly that content.
 */
export async function layersFor(
  folder: string,
  flags: Config,
  terminal: Terminal | null,
  { env }: Machine = process,
): Promise<FoundLayers> {
  const userFile = await fileIn(userConfigFolder(env));
  // Whoever may write there may already do whatever they like as this user.
  const user = userFile === null ? null : await loaded(userFile);
  const projectFile = await fileIn(folder);
  const isTrusted = projectFile !== null && (await trusts(folder, projectFile, terminal));
  const project = isTrusted ? await loaded(projectFile) : null;
  const environment = asUsage(() => configFromEnvironment(env));
  const left = projectFile !== null && !isTrusted ? [leftOut(projectFile.path, folder)] : [];
  return {
    layers: { user: user?.config ?? {}, project: project?.config ?? {}, environment, flags },
    userFile: userFile?.path ?? null,
    projectFile: projectFile?.path ?? null,
    isTrusted,
    warnings: [...(user?.warnings ?? []), ...(project?.warnings ?? []), ...left],
  };
}

function leftOut(path: string, folder: string): string {
  return `${path} is not trusted and was left out. Read it, then run: pawl trust ${folder}`;
}

async function trusts(
  folder: string,
  { path, text }: ReadConfig,
  terminal: Terminal | null,
): Promise<boolean> {
  const contents = { [basename(path)]: text };
  const store = trustStore();
  if (await store.isTrusted(folder, contents)) return true;
  const question = `${path} sets a model, rules, hooks or servers for this folder. Let it take effect?`;
  if (!(await confirms(terminal, question))) return false;
  await store.trust(folder, contents);
  return true;
}

/** The configuration of a folder as it stands there, if there is one; a program is not run. */
export function fileIn(folder: string): Promise<ReadConfig | null> {
  return asUsage(async () => {
    const path = await findConfig(folder);
    return path === null ? null : await readConfigFile(path);
  });
}

/** With what a program comes to; only for what is trusted. */
export function loaded(read: ReadConfig): Promise<ReadConfig> {
  return asUsage(async () => (read.isCode ? await runConfigCode(read) : read));
}

/** A file or a variable that cannot be used is the user's to put right. */
function asUsage<Result>(work: () => Result): Result {
  const explained = (error: unknown): never => {
    const isTheirs = error instanceof ConfigFileError || error instanceof ConfigVariableError;
    throw isTheirs ? new UsageError(error.message, { cause: error }) : error;
  };
  try {
    const result = work();
    return (result instanceof Promise ? result.catch(explained) : result) as Result;
  } catch (error) {
    return explained(error);
  }
}
