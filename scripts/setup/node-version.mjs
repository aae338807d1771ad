import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { join, sep } from 'node:path';

/** The oldest supported Node. */
export const nodeNeeded = '24.7.0';

/** Whether this Node is too old for the setup script. */
export function tooOld() {
  return !atLeast(process.versions.node, '20.0.0');
}

/** The Node that the project is tested on: the lower end of its `node` devDependency. */
export function nodeWanted(root) {
  const { devDependencies = {} } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const version = /\d+\.\d+\.\d+/.exec(devDependencies.node || '');
  return version === null ? nodeNeeded : version[0];
}

/** Whether the next npm script will find a Node of at least this version, from the project or the machine. */
export function hasNode(root, version) {
  if (!isMachinesOwn(root)) return existsSync(projectNode(root));
  return atLeast(process.versions.node, version) || atLeast(projectNodeVersion(root), version);
}

// Under npm, this process may be the project's Node, which an install may just have removed.
function isMachinesOwn(root) {
  return !process.execPath.startsWith(join(realpathSync(root), 'node_modules') + sep);
}

function projectNodeVersion(root) {
  if (!existsSync(projectNode(root))) return '0.0.0';
  const { stdout } = spawnSync(projectNode(root), ['--version'], { encoding: 'utf8' });
  return (stdout || '').trim().replace(/^v/, '') || '0.0.0';
}

function projectNode(root) {
  return join(root, 'node_modules', 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
}

function atLeast(version, wanted) {
  const [have, need] = [version, wanted].map((text) => text.split('.').map(Number));
  const at = need.findIndex((part, index) => part !== have[index]);
  return at === -1 || have[at] > need[at];
}
