import type { EnvironmentVariables } from '../platform/platform.ts';
import { safeSearchVariable, windowsVariables } from '../platform/programs.ts';
import { McpError } from './mcp-server.ts';

/** Variables that programs need in order to run; none of them holds a secret. */
const inheritedVariables = ['HOME', 'LANG', 'LC_ALL', 'LC_CTYPE', 'LOGNAME', 'PATH', 'TMPDIR', 'TZ', 'USER'];

/** Builds the complete environment of a server: the configured variables on top of the inherited ones. */
export function buildServerEnvironment(
  server: string,
  configured: { readonly [name: string]: string },
  environment: EnvironmentVariables,
  platform: NodeJS.Platform = process.platform,
): { readonly [name: string]: string } {
  const inherited = Object.fromEntries(
    listInheritedNames(environment, platform).flatMap((name) => {
      const value = environment[name];
      return value === undefined ? [] : [[name, value] as const];
    }),
  );
  const safeSearch = platform === 'win32' ? { [safeSearchVariable]: '1' } : {};
  return { ...inherited, ...safeSearch, ...expandVariables(server, configured, environment) };
}

/** Variable names are case-insensitive on Windows: `Path` and `PATH` are the same. */
function listInheritedNames(environment: EnvironmentVariables, platform: NodeJS.Platform): readonly string[] {
  if (platform !== 'win32') return inheritedVariables;
  const wanted = new Set([...inheritedVariables, ...windowsVariables]);
  return Object.keys(environment).filter((name) => wanted.has(name.toUpperCase()));
}

/** Expands `${NAME}`, so that a configuration can refer to a secret without containing it. */
export function expandVariables(
  server: string,
  configured: { readonly [name: string]: string },
  environment: EnvironmentVariables,
): { readonly [name: string]: string } {
  return Object.fromEntries(
    Object.entries(configured).map(([key, value]) => [
      key,
      value.replaceAll(/\$\{(\w+)\}/g, (_, name: string) => {
        const expanded = Object.hasOwn(environment, name) ? environment[name] : undefined;
        if (expanded !== undefined) return expanded;
        throw new McpError(
          'bad-server',
          `The MCP server ${server} needs the environment variable ${name} for ${key}, but it is not set. Set it, or remove it from the configuration.`,
        );
      }),
    ]),
  );
}
