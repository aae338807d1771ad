import { buildChartJsonSchema } from '../packages/runtime/src/charts/chart-schema.ts';
import { buildConfigJsonSchema } from '../packages/runtime/src/config/config-schema.ts';
import { buildProfileJsonSchema } from '../packages/runtime/src/profiles/profile-schema.ts';
import type { GeneratedPage } from './pages.ts';

/** The JSON Schemas of the files that users write, for completion and validation in editors. */
export function buildSchemaPages(): readonly GeneratedPage[] {
  return Object.entries({
    config: buildConfigJsonSchema(),
    profile: buildProfileJsonSchema(),
    chart: buildChartJsonSchema(),
  }).map(([name, schema]) => ({
    path: `docs/${name}.schema.json`,
    text: `${JSON.stringify(schema, null, 2)}\n`,
  }));
}
