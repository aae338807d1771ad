import { configJsonSchema } from '../packages/runtime/src/config/config-schema.ts';
import type { Page } from './pages.ts';

/** docs/config.schema.json: for editors that complete and check `pawl.config.json`. */
export function configPage(): readonly Page[] {
  return [{ path: 'docs/config.schema.json', text: `${JSON.stringify(configJsonSchema(), null, 2)}\n` }];
}
