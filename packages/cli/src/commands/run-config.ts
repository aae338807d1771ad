import { mergeConfigs, type Config } from '@pawl/runtime';
import type { Terminal } from '../terminal.ts';
import { layersFor } from './config-layers.ts';

export type FoundConfig = { readonly config: Config; readonly warnings: readonly string[] };

/** What the user, the project, the environment and the command line say, in one. */
export async function configFor(
  folder: string,
  flags: Config,
  terminal: Terminal | null,
): Promise<FoundConfig> {
  const { layers, warnings } = await layersFor(folder, flags, terminal);
  return { config: mergeConfigs(layers), warnings };
}
