// Sets up a fresh clone: npm packages, and with --system-packages also the programs that the tests need. Plain
// JavaScript without dependencies, because it runs before they are installed and on any Node from version 20.
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setUp } from './setup/set-up.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
process.exitCode = setUp(root, { systemPackages: process.argv.includes('--system-packages') }) ? 0 : 1;
