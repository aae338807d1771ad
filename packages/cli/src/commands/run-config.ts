import { basename } from 'node:path';
import {
  ConfigFileError,
  findConfig,
  mergeConfigs,
  readConfigFile,
  trustStore,
  userConfigFolder,
  type Config,
} from '@pawl/runtime';
import { confirms, type Terminal } from '../terminal.ts';
import { UsageError } from '../usage-error.ts';

export type FoundConfig = { readonly config: Config; readonly warnings: readonly string[] };

/**
 * What the user, the project and the command line say, in one. What a project brings along takes effect only once the user
 * has trusted exactly that content.
 */
export async function configFor(
  folder: string,
  flags: Config,
  terminal: Terminal | null,
): Promise<FoundConfig> {
  const user = await configIn(userConfigFolder());
  const project = await trustedConfigIn(folder, terminal);
  return {
    config: mergeConfigs(user.config, project.config, flags),
    warnings: [...user.warnings, ...project.warnings],
  };
}

async function configIn(folder: string): Promise<FoundConfig> {
  const found = await read(folder);
  return found === null ? { config: {}, warnings: [] } : found;
}

async function trustedConfigIn(folder: string, terminal: Terminal | null): Promise<FoundConfig> {
  const found = await read(folder);
  if (found === null) return { config: {}, warnings: [] };
  const contents = { [basename(found.path)]: found.text };
  const store = trustStore();
  if (await store.isTrusted(folder, contents)) return found;
  const question = `${found.path} sets a model, rules, hooks or servers for this folder. Let it take effect?`;
  if (await confirms(terminal, question)) {
    await store.trust(folder, contents);
    return found;
  }
  const warning = `${found.path} is not trusted and was left out. Read it, then run: pawl trust ${folder}`;
  return { config: {}, warnings: [warning] };
}

type ReadConfig = FoundConfig & { readonly path: string; readonly text: string };

async function read(folder: string): Promise<ReadConfig | null> {
  try {
    const path = await findConfig(folder);
    return path === null ? null : await readConfigFile(path);
  } catch (error) {
    throw error instanceof ConfigFileError ? new UsageError(error.message, { cause: error }) : error;
  }
}
