#!/usr/bin/env node
// The `pawl` command. Plain JavaScript, so that a Node version too old for the rest can still start it and hand over to
// a newer one.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import module from 'node:module';
import { dirname, join } from 'node:path';
import { isatty } from 'node:tty';
import { fileURLToPath } from 'node:url';
import { cacheFolder } from './cache-folder.cjs';

// The first version whose SQLite supports what the store writes.
const nodeNeeded = '24.7.0';
const here = realpathSync(fileURLToPath(import.meta.url));

if (isNewEnough(process.versions.node)) {
  await runHere();
} else {
  handOver(findNode(dirname(here)));
}

async function runHere() {
  // A reader that closes the pipe early (`pawl … | head -1`) is not an error.
  process.stdout.on('error', (error) => {
    if (error.code === 'EPIPE') process.exit();
    throw error;
  });
  // Cache the type-stripped, compiled code, which cuts startup to a third. The folder is private to the user, because
  // anyone who can write there controls the code that runs.
  module.enableCompileCache?.(cacheFolder());
  const { main } = await import('../src/main.ts');
  process.exitCode = await main(process.argv.slice(2));
}

function handOver(node) {
  if (node === undefined) {
    console.error(
      `pawl needs Node ${nodeNeeded} or newer, and this is Node ${process.versions.node}. See https://nodejs.org`,
    );
    process.exitCode = 1;
    return;
  }
  const child = spawn(node, [here, ...process.argv.slice(2)], { stdio: 'inherit' });
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  for (const signal of signals) process.on(signal, () => passOn(child, signal));
  child.on('error', (error) => {
    console.error(`pawl could not start Node ${nodeNeeded} at ${node}: ${error.message}`);
    process.exitCode = 1;
  });
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code);
    // Exit with the same signal as the child, so that a shell or supervisor sees it.
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

// The terminal already sends Ctrl-C to the child; forwarding it would look like a second Ctrl-C.
function passOn(child, signal) {
  const fromTerminal = signal === 'SIGINT' && [0, 1, 2].some((descriptor) => isatty(descriptor));
  if (!fromTerminal) child.kill(signal);
}

/** Returns the Node binary that the project installs, from the nearest node_modules up the tree. */
function findNode(folder) {
  const home = join(folder, 'node_modules', 'node');
  const binary = join(home, 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
  if (existsSync(binary) && isNewEnough(versionOf(home))) return binary;
  return dirname(folder) === folder ? undefined : findNode(dirname(folder));
}

function versionOf(home) {
  return String(JSON.parse(readFileSync(join(home, 'package.json'), 'utf8')).version);
}

function isNewEnough(version) {
  const [have, need] = [version, nodeNeeded].map((text) => text.split('.').map(Number));
  const at = need.findIndex((part, index) => part !== have[index]);
  return at === -1 || have[at] > need[at];
}
