import { createRequire } from 'node:module';

type Governor = typeof import('@pawl/core/governor');

/**
 * The governor of the core, loaded when it is first needed. A hook is a process of its own before and after every call of a
 * tool, and somebody waits for it: most calls come to nothing that needs it.
 */
export function governor(): Governor {
  return createRequire(import.meta.url)('@pawl/core/governor') as Governor;
}
