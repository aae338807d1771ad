import { availableParallelism } from 'node:os';
import { configDefaults, defineConfig } from 'vitest/config';
import { checkRequirements } from './scripts/testing/requirements.ts';
import { SkipReporter } from './scripts/testing/skip-reporter.ts';

/** Soaks, benchmarks run as tests and exhaustive searches. `npm test` leaves them out, `npm run test:all` has them. */
const long = '**/*.long.test.ts';

const results = process.env['PAWL_TEST_RESULTS'];

export default defineConfig(async ({ mode }) => {
  const requirements = await checkRequirements();
  return {
    test: {
      globalSetup: 'scripts/testing/global-setup.ts',
      env: { PAWL_SOAK: mode === 'soak' ? '1' : '' },
      // A test that needs something this machine lacks is skipped, and the reporter says what and how many.
      tags: requirements.map(({ tag, usedBy, problem }) => ({
        name: tag,
        description: `tests of ${usedBy}`,
        skip: problem !== null,
      })),
      reporters: [
        'default',
        new SkipReporter(requirements),
        ...(results === undefined ? [] : ['json' as const]),
      ],
      ...(results !== undefined && { outputFile: { json: results } }),
      // Limits for tests that hang. They are far above what a test takes on a machine that is busy with other work.
      testTimeout: 300_000,
      hookTimeout: 300_000,
      expect: { poll: { timeout: 120_000 } },
      // More than two cores can run: tests wait for processes and timers half of the time.
      maxWorkers: Math.max(4, availableParallelism()),
      setupFiles: ['scripts/testing/restore-process.ts', 'scripts/testing/property-seed.ts'],
      projects: [
        {
          extends: true,
          test: {
            name: 'short',
            include: ['{packages/*,scripts,bench,eval,sim}/test/**/*.test.ts'],
            exclude: [...configDefaults.exclude, long],
            // A process for each file would take longer to start than most files take to run.
            isolate: false,
          },
        },
        {
          extends: true,
          test: { name: 'long', include: [`{packages/*,scripts,bench,eval,sim}/test/${long}`] },
        },
      ],
    },
  };
});
