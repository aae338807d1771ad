#!/usr/bin/env node
// The `pawl` command. Plain JavaScript, so that a Node too old for the rest can still run it, and hand over to one that
// is new enough.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import module from 'node:module';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { isatty } from 'node:tty';
import { fileURLToPath } from 'node:url';

const majorNeeded = 24;
const here = realpathSync(fileURLToPath(import.meta.url));

if (majorOf(process.versions.node) >= majorNeeded) {
  await runHere();
} else {
  handOver(findNode(dirname(here)));
}

async function runHere() {
  // A reader that has seen enough (`pawl … | head -1`) is no error.
  process.stdout.on('error', (error) => {
    if (error.code === 'EPIPE') process.exit();
    throw error;
  });
  // What was stripped of its types and compiled once is kept: the next start takes a third of the time. The folder is the
  // user's own, since whoever can write there says what runs.
  module.enableCompileCache?.(join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'pawl'));
  const { main } = await import('../src/main.ts');
  process.exitCode = await main(process.argv.slice(2));
}

function handOver(node) {
  if (node === undefined) {
    console.error(
      `pawl needs Node ${majorNeeded} or newer, and this is Node ${process.versions.node}. See https://nodejs.org`,
    );
    process.exitCode = 1;
    return;
  }
  const child = spawn(node, [here, ...process.argv.slice(2)], { stdio: 'inherit' });
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  for (const signal of signals) process.on(signal, () => passOn(child, signal));
  child.on('error', (error) => {
    console.error(`pawl could not start Node ${majorNeeded} at ${node}: ${error.message}`);
    process.exitCode = 1;
  });
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code);
    // Die the same death, so that a shell or a supervisor sees it.
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

// Ctrl-C in a terminal reaches the child by itself; a second one would read as impatience.
function passOn(child, signal) {
  const fromTerminal = signal === 'SIGINT' && [0, 1, 2].some((descriptor) => isatty(descriptor));
  if (!fromTerminal) child.kill(signal);
}

/** The Node that the project itself installs, in the nearest node_modules up the tree. */
function findNode(folder) {
  const home = join(folder, 'node_modules', 'node');
  const binary = join(home, 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
  if (existsSync(binary) && majorOf(versionOf(home)) >= majorNeeded) return binary;
  return dirname(folder) === folder ? undefined : findNode(dirname(folder));
}

function versionOf(home) {
  return String(JSON.parse(readFileSync(join(home, 'package.json'), 'utf8')).version);
}

function majorOf(version) {
  return Number(version.split('.')[0]);
}
