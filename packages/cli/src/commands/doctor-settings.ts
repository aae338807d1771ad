import { mergeConfigs } from '@pawl/runtime';
import { UsageError } from '../usage-error.ts';
import { loadConfigLayers } from './config-layers.ts';
import type { DoctorCheck } from './doctor-check.ts';
import { checkProviders } from './doctor-providers.ts';

type SettingsCheckOptions = { readonly env: NodeJS.ProcessEnv; readonly cwd: string };

/** Checks the configuration and all providers; only the configured provider is required. */
export async function checkSettings({ env, cwd }: SettingsCheckOptions): Promise<readonly DoctorCheck[]> {
  try {
    const { layers, warnings } = await loadConfigLayers(cwd, {}, null, { env });
    const { model = 'librarian' } = mergeConfigs(layers);
    const [provider = ''] = model.split(':', 1);
    const advice = warnings[0] ?? null;
    const settings: DoctorCheck = {
      name: 'settings',
      needed: true,
      ok: true,
      found: `model ${model}`,
      advice,
    };
    return [settings, ...checkProviders(env, provider.trim().toLowerCase())];
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    const found = 'invalid';
    return [
      { name: 'settings', needed: true, ok: false, found, advice: error.message },
      ...checkProviders(env, ''),
    ];
  }
}
