import { basename } from 'node:path';
import {
  ConfigFileError,
  readEnvironmentConfig,
  ConfigVariableError,
  findConfigFile,
  readConfigFile,
  runConfigCode,
  createTrustStore,
  getUserConfigFolder,
  type Config,
  type ConfigLayers,
  type ConfigFileContents,
  type TrustedContents,
} from '@pawl/runtime';
import { askConfirmation, type TerminalPrompt } from '../terminal-prompt.ts';
import { toUsageError } from '../usage-error.ts';

/** All configuration layers that apply to a folder, unmerged. */
export type LoadedConfigLayers = {
  readonly layers: ConfigLayers;
  readonly userFile: string | null;
  readonly projectFile: string | null;
  /** Whether the project's file is trusted; false if there is none. */
  readonly isTrusted: boolean;
  readonly warnings: readonly string[];
};

type ConfigEnvironment = { readonly env: NodeJS.ProcessEnv };

/**
 * Loads the user, project, environment and command-line layers. Project configuration applies only after the user has
 * trusted exactly that content.
 */
export async function loadConfigLayers(
  folder: string,
  flags: Config,
  terminal: TerminalPrompt | null,
  machine: ConfigEnvironment = process,
): Promise<LoadedConfigLayers> {
  try {
    return await readConfigLayers({ folder, flags, terminal, ...machine });
  } catch (error) {
    throw toConfigUsageError(error);
  }
}

type ConfigLayersContext = {
  readonly folder: string;
  readonly flags: Config;
  readonly terminal: TerminalPrompt | null;
  readonly env: NodeJS.ProcessEnv;
};

async function readConfigLayers({
  folder,
  flags,
  terminal,
  env,
}: ConfigLayersContext): Promise<LoadedConfigLayers> {
  const user = await loadUserLayer(getUserConfigFolder(env));
  const project = await loadProjectLayer(folder, terminal);
  return {
    layers: { user: user.config, project: project.config, environment: readEnvironmentConfig(env), flags },
    userFile: user.path,
    projectFile: project.path,
    isTrusted: project.isTrusted,
    warnings: [...user.warnings, ...project.warnings],
  };
}

type ConfigLayer = Pick<ConfigFileContents, 'config' | 'warnings'> & { readonly path: string | null };

const emptyLayer: ConfigLayer = { path: null, config: {}, warnings: [] };

/** Needs no trust check: anyone who can write this file can already act as the user. */
async function loadUserLayer(folder: string): Promise<ConfigLayer> {
  const found = await readFolderConfig(folder);
  return found === null ? emptyLayer : evaluateConfig(found);
}

async function loadProjectLayer(
  folder: string,
  terminal: TerminalPrompt | null,
): Promise<ConfigLayer & { readonly isTrusted: boolean }> {
  const found = await readFolderConfig(folder);
  if (found === null) return { ...emptyLayer, isTrusted: false };
  if (await confirmTrust(folder, found, terminal)) {
    const read = await evaluateConfig(found);
    return { ...read, warnings: [...read.warnings, ...listUserOnlyWarnings(read)], isTrusted: true };
  }
  return {
    ...emptyLayer,
    path: found.path,
    warnings: [formatUntrustedWarning(found.path, folder)],
    isTrusted: false,
  };
}

/** Warns about telemetry settings in a project file: only the user may choose where session data is sent. */
function listUserOnlyWarnings({ path, config }: ConfigFileContents): readonly string[] {
  if (config.telemetry === undefined) return [];
  return [`${path} sets telemetry, which only the user or the environment can: it was left out.`];
}

function formatUntrustedWarning(path: string, folder: string): string {
  return `${path} is not trusted and was left out. Read it, then run: pawl trust ${folder}`;
}

/** Converts a configuration file to the form that the trust store uses. */
export function toTrustedContents({
  path,
  text,
}: Pick<ConfigFileContents, 'path' | 'text'>): TrustedContents {
  return { [basename(path)]: text };
}

async function confirmTrust(
  folder: string,
  read: ConfigFileContents,
  terminal: TerminalPrompt | null,
): Promise<boolean> {
  const contents = toTrustedContents(read);
  const store = createTrustStore();
  if (await store.isTrusted(folder, contents)) return true;
  const question = `${read.path} sets a model, rules, hooks or servers for this folder. Let it take effect?`;
  if (!(await askConfirmation(terminal, question))) return false;
  await store.trust(folder, contents);
  return true;
}

/** Reads a folder's configuration file, if there is one, without running configuration code. */
async function readFolderConfig(folder: string): Promise<ConfigFileContents | null> {
  const path = await findConfigFile(folder);
  return path === null ? null : readConfigFile(path);
}

/** Runs configuration code; call it only for trusted files. */
export async function evaluateConfig(read: ConfigFileContents): Promise<ConfigFileContents> {
  return read.isCode ? runConfigCode(read) : read;
}

/** An invalid configuration file or variable is a usage error. */
export function toConfigUsageError(error: unknown): unknown {
  return toUsageError(error, ConfigFileError, ConfigVariableError);
}
