import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { logFolder, getLogPath, recordScenario } from './log-file.ts';
import type { LogScenario } from './log-scenario.ts';
import { logScenarios } from './log-scenarios.ts';

/*
 * Records the scenarios that have no log yet: `npm exec -- node packages/core/test/old-logs/record-missing-logs.ts`.
 */
if (import.meta.main) {
  for (const path of recordMissingLogs(logScenarios, logFolder)) process.stdout.write(`recorded ${path}\n`);
}

/** A log that is there stays as it is, for it tells what the code of its time did. */
export function recordMissingLogs(input: readonly LogScenario[], into: string): readonly string[] {
  mkdirSync(into, { recursive: true });
  const missing = input.filter(({ name }) => !existsSync(getLogPath(name, into)));
  return missing.map((scenario) => {
    const path = getLogPath(scenario.name, into);
    writeFileSync(path, recordScenario(scenario), { flag: 'wx' });
    return path;
  });
}
