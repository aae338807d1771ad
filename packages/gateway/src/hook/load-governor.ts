import { createRequire } from 'node:module';

type GovernorModule = typeof import('@pawl/governor/hook');

/**
 * Loads the core's governor on first use. A hook is a separate process before and after every tool call, the host waits
 * for it, and most calls do not need the governor.
 */
export function loadGovernor(): GovernorModule {
  return createRequire(import.meta.url)('@pawl/governor/hook') as GovernorModule;
}
