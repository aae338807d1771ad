import { spawnSync } from 'node:child_process';
import { basename } from 'node:path';

// Without a network, npm can retry for hours.
const timeoutMs = 15 * 60_000;

/** Runs npm in the project and returns whether it succeeded. Errors go to stderr; the summary is not shown. */
export function runNpm(root, args) {
  const [command, ...first] = npmCommand();
  const result = spawnSync(command, [...first, ...args, '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: root,
    env: npmEnvironment(process.env),
    stdio: ['ignore', 'ignore', 'inherit'],
    timeout: timeoutMs,
    // Only Windows needs a shell, to find npm.cmd; no argument here needs quoting.
    shell: process.platform === 'win32' && first.length === 0,
  });
  if (result.error) throw new Error(`npm did not run to its end (${result.error.message})`);
  return result.status === 0;
}

// Use the npm that started this script, on the machine's Node instead of the project's, which it may replace.
function npmCommand() {
  const { npm_execpath: cli = '', npm_node_execpath: node = '' } = process.env;
  return node !== '' && basename(cli) === 'npm-cli.js' ? [node, cli] : ['npm'];
}

/**
 * An outer `npm start` passes its flags to child processes as npm_config_*, and flags such as `--global`,
 * `--workspace`, `--json`, `--dry-run` and `--prefix` would change this install. Only the settings for reaching
 * the registry are passed on.
 */
function npmEnvironment(env) {
  return Object.fromEntries(
    Object.entries(env).filter(([name]) => !/^npm_/i.test(name) || aboutTheNetwork.test(name)),
  );
}

const aboutTheNetwork =
  /^npm_config_(?:(?:.*:)?registry|\/\/.*|.*proxy|ca|cafile|cert|key|strict_ssl|cache|userconfig|globalconfig|fetch_.*|maxsockets|offline|prefer_offline|prefer_online)$/i;
