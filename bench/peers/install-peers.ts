import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

const folder = import.meta.dirname;

/**
 * Installs the peers if they are missing and returns whether they are available. They are not part of the workspace
 * because they are large and need an override that only a root package.json can declare.
 */
export function ensurePeersInstalled(): boolean {
  if (existsSync(join(folder, 'node_modules', '@langchain', 'langgraph', 'package.json'))) return true;
  console.error(
    'Installing LangGraph.js (90 MB) into bench/peers for comparison; use --no-peers to skip it.',
  );
  // Install scripts are not needed: the native package ships prebuilt binaries.
  const { status, error } = spawnSync('npm', ['ci', '--ignore-scripts'], {
    cwd: folder,
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  });
  if (status === 0) return true;
  const reason = error === undefined ? `npm ended with exit code ${status}` : error.message;
  console.error(`LangGraph.js could not be installed (${reason}); continuing without it.`);
  return false;
}
