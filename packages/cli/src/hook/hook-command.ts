import { UsageError } from '../usage-error.ts';
import type { HookHost } from './hook-event.ts';

/**
 * Builds the command line that a host runs. On Windows, Gemini runs it in PowerShell, the others in cmd.exe or Git
 * Bash, which read double quotes alike; elsewhere sh runs it.
 */
export function buildHookCommand(
  host: HookHost['name'],
  program: readonly [string, string],
  options: readonly string[],
  platform: NodeJS.Platform,
): string {
  const rest = [host, ...options];
  if (platform !== 'win32') return [...program.map(quoteForSh), ...rest].join(' ');
  if (host === 'gemini') return ['&', ...program.map(quoteForPowerShell), ...rest].join(' ');
  return [...program.map(quoteForWindows), ...rest].join(' ');
}

/** sh still expands these characters inside double quotes. */
function quoteForSh(path: string): string {
  return /["$`\\]/.test(path) ? `'${path.replaceAll("'", String.raw`'\''`)}'` : `"${path}"`;
}

function quoteForPowerShell(path: string): string {
  return `'${path.replaceAll("'", "''")}'`;
}

function quoteForWindows(path: string): string {
  if (!/[%$`]/.test(path)) return `"${path}"`;
  throw new UsageError(
    `${path} has a sign in it that a shell of Windows expands. Install Node and Pawl in a folder without %, $ and \`.`,
  );
}
