import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { folder, pathOf, record } from './log-file.ts';
import type { Tale } from './tale.ts';
import { tales } from './tales.ts';

/*
 * Records the tales that have no log yet: `npm exec -- node packages/core/test/old-logs/record.ts`.
 */
if (import.meta.main) {
  for (const path of recordMissing(tales, folder)) process.stdout.write(`recorded ${path}\n`);
}

/** A log that is there stays as it is, for it tells what the code of its time did. */
export function recordMissing(given: readonly Tale[], into: string): readonly string[] {
  mkdirSync(into, { recursive: true });
  const missing = given.filter(({ name }) => !existsSync(pathOf(name, into)));
  return missing.map((tale) => {
    const path = pathOf(tale.name, into);
    writeFileSync(path, record(tale), { flag: 'wx' });
    return path;
  });
}
