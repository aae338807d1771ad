// Makes a bare clone ready to run. Plain JavaScript without dependencies: it runs before any of them are there,
// and on whatever Node the machine has.
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setUp } from './setup/set-up.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
process.exitCode = setUp(root) ? 0 : 1;
