import { basename } from 'node:path';
import {
  ConfigFileError,
  configFromEnvironment,
  ConfigVariableError,
  findConfig,
  readConfigFile,
  runConfigCode,
  trustStore,
  userConfigFolder,
  type Config,
  type ConfigLayers,
  type ReadConfig,
  type TrustedContents,
} from '@pawl/runtime';
import { confirms, type Terminal } from '../terminal.ts';
import { asUsageError } from '../usage-error.ts';

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
  machine: Machine = process,
): Promise<FoundLayers> {
  try {
    return await find({ folder, flags, terminal, ...machine });
  } catch (error) {
    throw asUsage(error);
  }
}

type Place = {
  readonly folder: string;
  readonly flags: Config;
  readonly terminal: Terminal | null;
  readonly env: NodeJS.ProcessEnv;
};

async function find({ folder, flags, terminal, env }: Place): Promise<FoundLayers> {
  const user = await userLayer(userConfigFolder(env));
  const project = await projectLayer(folder, terminal);
  return {
    layers: { user: user.config, project: project.config, environment: configFromEnvironment(env), flags },
    userFile: user.path,
    projectFile: project.path,
    isTrusted: project.isTrusted,
    warnings: [...user.warnings, ...project.warnings],
  };
}

type Layer = Pick<ReadConfig, 'config' | 'warnings'> & { readonly path: string | null };

const nothing: Layer = { path: null, config: {}, warnings: [] };

/** Whoever may write there may already do whatever they like as this user. */
async function userLayer(folder: string): Promise<Layer> {
  const found = await fileIn(folder);
  return found === null ? nothing : loaded(found);
}

async function projectLayer(
  folder: string,
  terminal: Terminal | null,
): Promise<Layer & { readonly isTrusted: boolean }> {
  const found = await fileIn(folder);
  if (found === null) return { ...nothing, isTrusted: false };
  if (await trusts(folder, found, terminal)) {
    const read = await loaded(found);
    return { ...read, warnings: [...read.warnings, ...notForProjects(read)], isTrusted: true };
  }
  return { ...nothing, path: found.path, warnings: [leftOut(found.path, folder)], isTrusted: false };
}

/** Where what sessions do is sent to is for the user alone to say; a project that says it too is told that it does not count. */
function notForProjects({ path, config }: ReadConfig): readonly string[] {
  if (config.telemetry === undefined) return [];
  return [`${path} sets telemetry, which only the user or the environment can: it was left out.`];
}

function leftOut(path: string, folder: string): string {
  return `${path} is not trusted and was left out. Read it, then run: pawl trust ${folder}`;
}

/** What is trusted, as the trust store takes it. */
export function contentsOf({ path, text }: Pick<ReadConfig, 'path' | 'text'>): TrustedContents {
  return { [basename(path)]: text };
}

async function trusts(folder: string, read: ReadConfig, terminal: Terminal | null): Promise<boolean> {
  const contents = contentsOf(read);
  const store = trustStore();
  if (await store.isTrusted(folder, contents)) return true;
  const question = `${read.path} sets a model, rules, hooks or servers for this folder. Let it take effect?`;
  if (!(await confirms(terminal, question))) return false;
  await store.trust(folder, contents);
  return true;
}

/** The configuration of a folder as it stands there, if there is one; a program is not run. */
async function fileIn(folder: string): Promise<ReadConfig | null> {
  const path = await findConfig(folder);
  return path === null ? null : readConfigFile(path);
}

/** With what a program comes to; only for what is trusted. */
export async function loaded(read: ReadConfig): Promise<ReadConfig> {
  return read.isCode ? runConfigCode(read) : read;
}

/** A file or a variable that cannot be used is the user's to put right. */
export function asUsage(error: unknown): unknown {
  return asUsageError(error, ConfigFileError, ConfigVariableError);
}
