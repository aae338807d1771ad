import { safeSearchVariable, windowsVariables } from '../platform/programs.ts';
import { McpError } from './mcp-error.ts';

type EnvironmentVariables = { readonly [name: string]: string | undefined };

/** Variables that programs need in order to run; none of them holds a secret. */
const inheritedVariables = ['HOME', 'LANG', 'LC_ALL', 'LC_CTYPE', 'LOGNAME', 'PATH', 'TMPDIR', 'TZ', 'USER'];

/** Builds the complete environment of a server: the configured variables on top of the inherited ones. */
export function buildServerEnvironment(
  server: string,
  given: { readonly [name: string]: string },
  ours: EnvironmentVariables,
  platform: NodeJS.Platform = process.platform,
): { readonly [name: string]: string } {
  const inherited = Object.fromEntries(
    listInheritedNames(ours, platform).flatMap((name) => {
      const value = ours[name];
      return value === undefined ? [] : [[name, value] as const];
    }),
  );
  const safeSearch = platform === 'win32' ? { [safeSearchVariable]: '1' } : {};
  return { ...inherited, ...safeSearch, ...expandVariables(server, given, ours) };
}

/** Variable names are case-insensitive on Windows: `Path` and `PATH` are the same. */
function listInheritedNames(ours: EnvironmentVariables, platform: NodeJS.Platform): readonly string[] {
  if (platform !== 'win32') return inheritedVariables;
  const wanted = new Set([...inheritedVariables, ...windowsVariables]);
  return Object.keys(ours).filter((name) => wanted.has(name.toUpperCase()));
}

/** Expands `${NAME}`, so that a configuration can refer to a secret without containing it. */
export function expandVariables(
  server: string,
  given: { readonly [name: string]: string },
  ours: EnvironmentVariables,
): { readonly [name: string]: string } {
  return Object.fromEntries(
    Object.entries(given).map(([key, value]) => [
      key,
      value.replaceAll(/\$\{(\w+)\}/g, (_, name: string) => {
        const found = Object.hasOwn(ours, name) ? ours[name] : undefined;
        if (found !== undefined) return found;
        throw new McpError(
          'bad-server',
          `The MCP server ${server} needs the environment variable ${name} for ${key}, and it is not set. Set it, or take it out of the configuration.`,
        );
      }),
    ]),
  );
}
