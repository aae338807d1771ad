import { spawnSync } from 'node:child_process';
import { basename } from 'node:path';

// Without a network npm can try one package after another for hours.
const timeoutMs = 15 * 60_000;

/** Runs npm in the project and returns whether it succeeded. Its complaints go to stderr; its tallies are not shown. */
export function runNpm(root, args) {
  const [command, ...first] = npmCommand();
  const result = spawnSync(command, [...first, ...args, '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: root,
    env: npmEnvironment(process.env),
    stdio: ['ignore', 'ignore', 'inherit'],
    timeout: timeoutMs,
    // Only Windows needs a shell, to find npm.cmd; no argument here holds anything to quote.
    shell: process.platform === 'win32' && first.length === 0,
  });
  if (result.error) throw new Error(`npm did not run to its end (${result.error.message})`);
  return result.status === 0;
}

// The same npm that started us, on the machine's Node: not on the project's, which it may be about to replace.
function npmCommand() {
  const { npm_execpath: cli = '', npm_node_execpath: node = '' } = process.env;
  return node !== '' && basename(cli) === 'npm-cli.js' ? [node, cli] : ['npm'];
}

/**
 * An outer `npm start` hands every flag it was given to its children as npm_config_*: `--global`, `--workspace`, `--json`,
 * `--dry-run`, `--prefix` and the like would bend our install. Only what says how to reach the registry is passed on.
 */
function npmEnvironment(env) {
  return Object.fromEntries(
    Object.entries(env).filter(([name]) => !/^npm_/i.test(name) || aboutTheNetwork.test(name)),
  );
}

const aboutTheNetwork =
  /^npm_config_(?:(?:.*:)?registry|\/\/.*|.*proxy|ca|cafile|cert|key|strict_ssl|cache|userconfig|globalconfig|fetch_.*|maxsockets|offline|prefer_offline|prefer_online)$/i;
