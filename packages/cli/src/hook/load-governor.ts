import { createRequire } from 'node:module';

type GovernorModule = typeof import('@pawl/core/governor');

/**
 * Loads the core's governor on first use. A hook is a separate process before and after every tool call, the host waits
 * for it, and most calls do not need the governor.
 */
export function loadGovernor(): GovernorModule {
  return createRequire(import.meta.url)('@pawl/core/governor') as GovernorModule;
}
