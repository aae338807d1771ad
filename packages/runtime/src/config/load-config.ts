import { access } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { getUserConfigFolder, configFileNames } from '../platform/data-folder.ts';
import type { TrustedContents } from '../trust/trust-store.ts';
import { ConfigFileError, type Config } from './config.ts';
import { readEnvironmentConfig } from './environment-config.ts';
import { mergeConfigs, type ConfigLayers } from './merge-configs.ts';
import type { ConfigFileContents } from './read-config-file.ts';

export type LoadConfigOptions = {
  /** Asks the user whether to trust a project's file. Without it, a file that is not trusted is ignored. */
  readonly confirmTrust?: ((question: string) => Promise<boolean>) | undefined;
  readonly env?: NodeJS.ProcessEnv | undefined;
};

export type MergedConfig = { readonly config: Config; readonly warnings: readonly string[] };

/** Loads and merges the user, project, environment and command-line configuration. */
export async function loadConfig(
  folder: string,
  flags: Config,
  options: LoadConfigOptions = {},
): Promise<MergedConfig> {
  const { layers, warnings } = await loadConfigLayers(folder, flags, options);
  return { config: mergeConfigs(layers), warnings };
}

/** All configuration layers that apply to a folder, unmerged. */
export type LoadedConfigLayers = {
  readonly layers: ConfigLayers;
  readonly userFile: string | null;
  readonly projectFile: string | null;
  /** Whether the project's file is trusted; false if there is none. */
  readonly isTrusted: boolean;
  readonly warnings: readonly string[];
};

/**
 * Loads the user, project, environment and command-line layers. Project configuration applies only after the user has
 * trusted exactly that content.
 */
export async function loadConfigLayers(
  folder: string,
  flags: Config,
  { confirmTrust = async () => false, env = process.env }: LoadConfigOptions = {},
): Promise<LoadedConfigLayers> {
  const user = await loadUserLayer(getUserConfigFolder(env));
  const project = await loadProjectLayer(folder, confirmTrust);
  return {
    layers: { user: user.config, project: project.config, environment: readEnvironmentConfig(env), flags },
    userFile: user.path,
    projectFile: project.path,
    isTrusted: project.isTrusted,
    warnings: [...user.warnings, ...project.warnings],
  };
}

type TrustPrompter = (question: string) => Promise<boolean>;

type ConfigLayer = Pick<ConfigFileContents, 'config' | 'warnings'> & { readonly path: string | null };

const emptyLayer: ConfigLayer = { path: null, config: {}, warnings: [] };

/** Needs no trust check: anyone who can write this file can already act as the user. */
async function loadUserLayer(folder: string): Promise<ConfigLayer> {
  const contents = await readFolderConfig(folder);
  return contents === null ? emptyLayer : evaluateConfig(contents);
}

async function loadProjectLayer(
  folder: string,
  confirmTrust: TrustPrompter,
): Promise<ConfigLayer & { readonly isTrusted: boolean }> {
  const contents = await readFolderConfig(folder);
  if (contents === null) return { ...emptyLayer, isTrusted: false };
  if (await isTrustedOrConfirmed(folder, contents, confirmTrust)) {
    const layer = await evaluateConfig(contents);
    return { ...layer, warnings: [...layer.warnings, ...listUserOnlyWarnings(layer)], isTrusted: true };
  }
  return {
    ...emptyLayer,
    path: contents.path,
    warnings: [formatUntrustedWarning(contents.path, folder)],
    isTrusted: false,
  };
}

/** Warns about telemetry settings in a project file: only the user may choose where session data is sent. */
function listUserOnlyWarnings({ path, config }: ConfigFileContents): readonly string[] {
  if (config.telemetry === undefined) return [];
  return [
    `${path} sets telemetry, which a project file cannot set. It was ignored: set it in the user configuration or the environment.`,
  ];
}

function formatUntrustedWarning(path: string, folder: string): string {
  return `${path} is not trusted and was ignored. Review it, then run: pawl trust ${folder}`;
}

/** Converts a configuration file to the form that the trust store uses. */
export function toTrustedContents({
  path,
  text,
}: Pick<ConfigFileContents, 'path' | 'text'>): TrustedContents {
  return { [basename(path)]: text };
}

async function isTrustedOrConfirmed(
  folder: string,
  file: ConfigFileContents,
  confirmTrust: TrustPrompter,
): Promise<boolean> {
  const contents = toTrustedContents(file);
  const { createTrustStore } = await import('../trust/trust-store.ts');
  const store = createTrustStore();
  if (await store.isTrusted(folder, contents)) return true;
  const question = `${file.path} configures the model, rules, hooks or servers for this folder. Trust it?`;
  if (!(await confirmTrust(question))) return false;
  await store.trust(folder, contents);
  return true;
}

/** Reads a folder's configuration file, if there is one, without running configuration code. */
async function readFolderConfig(folder: string): Promise<ConfigFileContents | null> {
  const path = await findConfigFile(folder);
  if (path === null) return null;
  const { readConfigFile } = await import('./read-config-file.ts');
  return readConfigFile(path);
}

/** Runs configuration code; call it only for trusted files. */
export async function evaluateConfig(contents: ConfigFileContents): Promise<ConfigFileContents> {
  if (!contents.isCode) return contents;
  const { runConfigCode } = await import('./run-config-code.ts');
  return runConfigCode(contents);
}

/** Finds the configuration file of a folder. Throws if there are two, because precedence would be ambiguous. */
export async function findConfigFile(folder: string): Promise<string | null> {
  const paths = configFileNames.map((name) => join(folder, name));
  const exists = await Promise.all(
    paths.map((path) =>
      access(path).then(
        () => true,
        () => false,
      ),
    ),
  );
  const [path, second] = paths.filter((_, index) => exists[index]);
  if (path === undefined) return null;
  if (second === undefined) return path;
  const problem = `the folder also has ${JSON.stringify(second)}. Keep only one of them.`;
  throw new ConfigFileError('ambiguous', path, { problem });
}
