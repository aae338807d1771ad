import { mergeConfigs } from '@pawl/runtime';
import { UsageError } from '../usage-error.ts';
import { layersFor } from './config-layers.ts';
import type { Check } from './doctor-check.ts';
import { checkProviders } from './doctor-providers.ts';

type Asked = { readonly env: NodeJS.ProcessEnv; readonly cwd: string };

/** Whether what is set can be used, and what there is of each provider; the one that is set is needed. */
export async function checkSettings({ env, cwd }: Asked): Promise<readonly Check[]> {
  try {
    const { layers, warnings } = await layersFor(cwd, {}, null, { env });
    const { model = 'librarian' } = mergeConfigs(layers);
    const [used = ''] = model.split(':', 1);
    const advice = warnings[0] ?? null;
    const settings: Check = { name: 'settings', needed: true, ok: true, found: `model ${model}`, advice };
    return [settings, ...checkProviders(env, used.trim().toLowerCase())];
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    const found = 'cannot be used';
    return [
      { name: 'settings', needed: true, ok: false, found, advice: error.message },
      ...checkProviders(env, ''),
    ];
  }
}
