import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { configDefaults, defineConfig } from 'vitest/config';

/** The tests see nobody's own settings and data. */
const nobody = join(tmpdir(), 'pawl-tests');

/** Tests that change nothing outside of themselves: no environment, no handlers of the process, nothing that is mocked. */
export const selfContained: readonly string[] = [
  'packages/{core,adapters,telemetry,dashboard}/test/**/*.test.ts',
  'packages/runtime/test/{charts,commands,executions,logging,memory,permission,profiles}/**/*.test.ts',
  'packages/runtime/test/{protocols,resources,schema,search,traces}/**/*.test.ts',
  'bench/test/**/*.test.ts',
  'eval/test/**/*.test.ts',
];

export default defineConfig({
  test: {
    env: { XDG_CONFIG_HOME: join(nobody, 'config'), XDG_DATA_HOME: join(nobody, 'data') },
    // What takes a second alone takes half a minute on a machine that does other things as well.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 20_000 } },
    // At least three, even on two cores: a worker waits for processes and timers half of the time.
    maxWorkers: Math.max(3, availableParallelism() - 1),
    projects: [
      // A process for each file would take longer to start than most of these files take to run.
      { extends: true, test: { name: 'together', include: [...selfContained], isolate: false } },
      {
        extends: true,
        test: {
          name: 'apart',
          include: ['{packages/*,scripts,bench,eval,sim}/test/**/*.test.ts'],
          exclude: [...configDefaults.exclude, ...selfContained],
        },
      },
    ],
  },
});
