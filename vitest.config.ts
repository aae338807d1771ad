import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

/** Nobody's own settings and nobody's own data have to do with the tests. */
const nobody = join(tmpdir(), 'pawl-tests');

export default defineConfig({
  test: {
    include: [
      'packages/*/test/**/*.test.ts',
      'scripts/test/**/*.test.ts',
      'bench/test/**/*.test.ts',
      'eval/test/**/*.test.ts',
      'sim/test/**/*.test.ts',
    ],
    env: { XDG_CONFIG_HOME: join(nobody, 'config'), XDG_DATA_HOME: join(nobody, 'data') },
    testTimeout: 30_000,
    // Also where there are only two cores: a worker waits for processes and timers half of the time.
    maxWorkers: Math.max(2, availableParallelism() - 1),
  },
});
