import { buildConfigJsonSchema } from '../packages/runtime/src/config/config-schema.ts';
import type { GeneratedPage } from './pages.ts';

/** docs/config.schema.json: JSON Schema for completion and validation of `pawl.config.json` in editors. */
export function buildConfigPage(): readonly GeneratedPage[] {
  return [{ path: 'docs/config.schema.json', text: `${JSON.stringify(buildConfigJsonSchema(), null, 2)}\n` }];
}
