import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { repositoryRoot } from '../../../../scripts/source-files.ts';

/*
 * Runs tests with the version of a framework that is installed in PAWL_FRAMEWORK_FOLDER, instead of the one that the project
 * depends on. PAWL_FRAMEWORK_PACKAGES names the packages, separated by commas.
 */
const folder = process.env['PAWL_FRAMEWORK_FOLDER'] ?? '';
const packages = (process.env['PAWL_FRAMEWORK_PACKAGES'] ?? '').split(',');

export default defineConfig({
  root: repositoryRoot,
  plugins: [
    {
      name: 'framework-version',
      enforce: 'pre',
      async resolveId(source) {
        if (!packages.some((name) => source === name || source.startsWith(`${name}/`))) return null;
        const resolved = await this.resolve(source, join(folder, 'package.json'), { skipSelf: true });
        if (resolved?.id.startsWith(folder) !== true) throw new Error(`${source} is not in ${folder}.`);
        return resolved;
      },
    },
  ],
  // Transformed modules contain the resolved paths, so they must not be kept for other versions.
  test: {
    fsModuleCache: false,
    include: ['packages/adapters/test/*.test.ts'],
    testTimeout: 300_000,
    isolate: false,
  },
});
