import { mergeConfigs, type Config } from '@pawl/runtime';
import type { TerminalPrompt } from '../terminal-prompt.ts';
import { loadConfigLayers } from './config-layers.ts';

export type MergedConfig = { readonly config: Config; readonly warnings: readonly string[] };

/** Loads and merges the user, project, environment and command-line configuration. */
export async function loadConfig(
  folder: string,
  flags: Config,
  terminal: TerminalPrompt | null,
): Promise<MergedConfig> {
  const { layers, warnings } = await loadConfigLayers(folder, flags, terminal);
  return { config: mergeConfigs(layers), warnings };
}
