import { withLock } from './lock.mjs';
import { hasNode, nodeNeeded, nodeWanted, tooOld } from './node-version.mjs';
import { runNpm } from './npm.mjs';
import { emptyNodeModules, toolsWithoutBinary } from './platform.mjs';
import { fingerprint, forgetStamp, readStamp, writeStamp } from './stamp.mjs';
import { installSystemPackages } from './system-packages.mjs';

/**
 * Returns whether the project is ready; if not, one line on stderr says why. `systemPackages` also installs the
 * programs that only the tests need.
 */
export function setUp(root, { systemPackages = false } = {}) {
  if (tooOld()) {
    return fail(
      `setting up needs Node 20 or newer, and this is Node ${process.versions.node}. See https://nodejs.org`,
    );
  }
  try {
    const ready = isReady(root) || withLock(root, say, () => isReady(root) || install(root));
    if (ready && systemPackages) installSystemPackages(say);
    return ready;
  } catch (error) {
    return fail(`could not set up: ${error.message}`);
  }
}

function isReady(root) {
  return readStamp(root) === fingerprint(root) && hasNode(root, nodeNeeded);
}

function install(root) {
  say('installing packages; the first time takes about a minute …');
  forgetStamp(root);
  if (!installPackages(root)) {
    return fail(
      'npm could not install the packages (its own words are above). Check the network, then: npm run setup',
    );
  }
  if (!installNode(root)) {
    return fail(
      `Node ${nodeWanted(root)} could not be fetched. Install it from https://nodejs.org, then: npm run setup`,
    );
  }
  writeStamp(root, fingerprint(root));
  say('ready.');
  return true;
}

// Use `npm install`, because `npm ci` rejects a lockfile that lacks another platform's binaries. The flags override
// user settings that would omit packages, and nothing is saved, so that the setup changes no tracked file.
function installPackages(root) {
  const flags = [
    '--include=dev',
    '--include=optional',
    '--ignore-scripts',
    '--no-engine-strict',
    '--no-save',
  ];
  if (!runNpm(root, ['install', ...flags])) return false;
  if (toolsWithoutBinary(root).length === 0) return true;

  // Older npm silently follows the lockfile even if it lacks this platform.
  say('the lockfile does not know this platform; installing once more without it …');
  emptyNodeModules(root);
  if (!runNpm(root, ['install', ...flags, '--no-package-lock'])) return false;
  const missing = toolsWithoutBinary(root);
  if (missing.length > 0)
    say(`no build for this platform, so not everything will work: ${missing.join(', ')}`);
  return true;
}

// The `node` package downloads its binary in an install script. It is the only install script that is run, and only
// if the machine's Node is too old. This also works for users who disable install scripts.
function installNode(root) {
  if (hasNode(root, nodeWanted(root))) return true;
  runNpm(root, ['rebuild', 'node', '--ignore-scripts=false']);
  return hasNode(root, nodeNeeded);
}

function say(line) {
  console.error(`Pawl: ${line}`);
}

function fail(line) {
  say(line);
  return false;
}
