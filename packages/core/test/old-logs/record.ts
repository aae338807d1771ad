import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { pathOf, record } from './log-file.ts';
import { tales } from './tales.ts';

/*
 * Records the tales that have no log yet: `npm exec -- node packages/core/test/old-logs/record.ts`.
 * A log that is there stays as it is, for it tells what the code of its time did.
 */
for (const tale of tales) {
  const path = pathOf(tale.name);
  if (existsSync(path)) continue;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, record(tale), { flag: 'wx' });
  process.stdout.write(`recorded ${path}\n`);
}
