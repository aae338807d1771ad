import { win32 } from 'node:path';

/** A command that runs npm, for `execFileSync` and `spawnSync`. */
export type NpmCommand = { readonly file: string; readonly args: readonly string[]; readonly shell: boolean };

type NpmPlatform = {
  readonly env: { readonly [name: string]: string | undefined };
  readonly platform: NodeJS.Platform;
  readonly execPath: string;
};

/**
 * Uses the npm that runs this script, with the same Node. Otherwise, Windows needs a shell to find `npm.cmd`, and the
 * arguments must not need quoting.
 */
export function buildNpmCommand(
  args: readonly string[],
  { env, platform, execPath }: NpmPlatform = process,
): NpmCommand {
  const script = env['npm_execpath'] ?? '';
  if (win32.basename(script) === 'npm-cli.js')
    return { file: execPath, args: [script, ...args], shell: false };
  return { file: 'npm', args, shell: platform === 'win32' };
}
