import { getPlatformPaths } from '../platform/platform.ts';
import { safeSearchVariable, windowsVariables } from '../platform/programs.ts';

export type ProcessEnvironment = { readonly [name: string]: string };

/** Variables that a program needs to run and to write readable text. Any other variable may contain a secret. */
const harmlessVariables: ReadonlySet<string> = new Set(
  (
    'PATH HOME USER LOGNAME SHELL LANG LANGUAGE TZ CI TERM COLORTERM NO_COLOR ' +
    'SYSTEMROOT COMSPEC PATHEXT USERPROFILE TEMP TMP'
  ).split(' '),
);

/** Builds the environment for an untrusted command: no keys, no tokens, no sockets. */
export function scrubEnvironment(
  env: NodeJS.ProcessEnv = process.env,
  platform: NodeJS.Platform = process.platform,
): ProcessEnvironment {
  const variables = Object.entries(env).flatMap(([name, value]) =>
    value !== undefined && isHarmlessVariable(name.toUpperCase(), platform)
      ? [[name, name.toUpperCase() === 'PATH' ? filterSearchPath(value, platform) : value] as const]
      : [],
  );
  return { ...Object.fromEntries(variables), ...(platform === 'win32' && { [safeSearchVariable]: '1' }) };
}

function isHarmlessVariable(name: string, platform: NodeJS.Platform): boolean {
  if (harmlessVariables.has(name) || name.startsWith('LC_')) return true;
  // macOS gives each user a separate folder for temporary files.
  return platform === 'win32' ? windowsVariables.includes(name) : platform === 'darwin' && name === 'TMPDIR';
}

/** Drops empty and relative entries, because they let a file in the working folder impersonate a system command. */
function filterSearchPath(value: string, platform: NodeJS.Platform): string {
  const paths = getPlatformPaths(platform);
  return value
    .split(paths.delimiter)
    .filter((folder) => paths.isAbsolute(folder))
    .join(paths.delimiter);
}
