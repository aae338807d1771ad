import { writeSync } from 'node:fs';
import { runHookProcess } from '@pawl/gateway/hook-process';
import { sanitizeOneLine } from './output/sanitize-text.ts';

/**
 * Runs a hook and ends the process. An error must not block the agent: every host treats exit code 1 as a warning.
 * Exiting here skips Node's cleanup, which would close the database and so wait for the disk after every call.
 */
export function runHookEntry(argv: readonly string[]): never {
  const problem = runHookProcess(argv);
  if (problem !== null) writeSync(2, `pawl hook: ${sanitizeOneLine(problem)}\n`);
  return process.exit(problem === null ? 0 : 1);
}
