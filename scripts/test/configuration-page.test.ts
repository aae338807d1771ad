import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { configVariables } from '../../packages/runtime/src/config/environment-config.ts';
import { buildConfigJsonSchema } from '../../packages/runtime/src/config/config-schema.ts';
import { configFileNames } from '../../packages/runtime/src/platform/data-folder.ts';
import { repositoryRoot } from '../source-files.ts';

it('docs/configuration.md lists every key, every variable and every file name', () => {
  const page = readFileSync(join(repositoryRoot, 'docs/configuration.md'), 'utf8');
  const keys = Object.keys(buildConfigJsonSchema()['properties'] ?? {});
  expect(keys).toContain('model');
  for (const key of keys) expect(page).toMatch(new RegExp(`^\\| \`${key.replace('$', '\\$')}\` +\\|`, 'm'));
  for (const [key, variable] of Object.entries(configVariables))
    expect(page).toMatch(new RegExp(`^\\| \`${variable}\` +\\| \`${key}\``, 'm'));
  for (const name of configFileNames) expect(page).toContain(`\`${name}\``);
});
