import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

const folder = import.meta.dirname;

/**
 * Whether what Pawl is measured beside is there; installs it if it is not. It is no part of the workspace: it is large, and
 * it needs an override that only the package file at the top of an installation can give.
 */
export function peersInstalled(): boolean {
  if (existsSync(join(folder, 'node_modules', '@langchain', 'langgraph', 'package.json'))) return true;
  console.error(
    'Installing LangGraph.js (90 MB) into bench/peers, to measure beside it; --no-peers does without.',
  );
  // What is installed here runs no script of its own: the one that is native brings its binaries along.
  const { status, error } = spawnSync('npm', ['ci', '--ignore-scripts'], {
    cwd: folder,
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  });
  if (status === 0) return true;
  const reason = error === undefined ? `npm ended with exit code ${status}` : error.message;
  console.error(`LangGraph.js could not be installed (${reason}); going on without it.`);
  return false;
}
