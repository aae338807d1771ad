import type { Profile } from '@pawl/core/profiles';
import {
  ConfigFileError,
  ConfigVariableError,
  loadConfig as loadMergedConfig,
  loadConfigLayers as loadLayers,
  type Config,
  type LoadedConfigLayers,
  type MergedConfig,
} from '@pawl/runtime/config';
import { askConfirmation, type TerminalPrompt } from '../output/terminal-prompt.ts';
import { toUsageError } from '../output/exit-codes.ts';

/** Loads the merged configuration of a folder; the user is asked whether to trust the project's file. */
export async function loadConfig(
  folder: string,
  flags: Config,
  terminal: TerminalPrompt | null,
): Promise<MergedConfig> {
  return withSetupUsageErrors(() =>
    loadMergedConfig(folder, flags, { confirmTrust: (question) => askConfirmation(terminal, question) }),
  );
}

/** Loads the configuration layers of a folder; a file that is not trusted is ignored. */
export async function loadConfigLayers(
  folder: string,
  flags: Config,
  { env }: { readonly env: NodeJS.ProcessEnv } = process,
): Promise<LoadedConfigLayers> {
  return withSetupUsageErrors(() => loadLayers(folder, flags, { env }));
}

/** An invalid configuration file or variable is a usage error. */
export function toConfigUsageError(error: unknown): unknown {
  return toUsageError(error, ConfigFileError, ConfigVariableError);
}

/** Reports what the user has to correct before an agent can be created as a usage error. */
export async function withSetupUsageErrors<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw await toSetupUsageError(error);
  }
}

/** Loads the other error classes only after a failure: they come with most of the runtime. */
async function toSetupUsageError(error: unknown): Promise<unknown> {
  const [{ AgentConfigError }, { MemoryFileError }, { ModelSpecError }, { ProfileFileError }] =
    await Promise.all([
      import('@pawl/runtime'),
      import('@pawl/runtime/memory'),
      import('@pawl/runtime/models'),
      import('@pawl/runtime/profiles'),
    ]);
  return toUsageError(
    error,
    AgentConfigError,
    ConfigFileError,
    ConfigVariableError,
    MemoryFileError,
    ModelSpecError,
    ProfileFileError,
  );
}

/** Resolves `--profile` to a built-in profile or a profile file. */
export function resolveProfileOption(nameOrPath: string): Promise<Profile> {
  return withSetupUsageErrors(async () => {
    const { resolveProfile } = await import('@pawl/runtime/agent-setup');
    return resolveProfile(nameOrPath);
  });
}
