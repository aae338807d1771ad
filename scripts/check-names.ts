// Part of `npm run check`: names follow the rules of AGENTS.md.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findNamingFaults } from './checks/naming.ts';
import { listProjectFiles, repositoryRoot } from './source-files.ts';

const paths = listProjectFiles('packages').filter((path) => /\/(?:src|web)\/.*\.tsx?$/.test(path));
const faults = findNamingFaults(
  paths.map((path) => ({ path, text: readFileSync(join(repositoryRoot, path), 'utf8') })),
);
for (const fault of faults) console.error(fault);
if (faults.length > 0) console.error(`${faults.length} names break the naming rules; see AGENTS.md.`);
process.exitCode = faults.length === 0 ? 0 : 1;
