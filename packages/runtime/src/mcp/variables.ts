import { McpError } from './mcp-error.ts';

type Variables = { readonly [name: string]: string | undefined };

/** What every program needs to run at all, and nothing that could be a secret. */
const harmless = ['HOME', 'LANG', 'LC_ALL', 'LC_CTYPE', 'LOGNAME', 'PATH', 'TMPDIR', 'TZ', 'USER'];

/** The whole environment of a server: what it was given, on top of what is harmless. */
export function environmentFor(
  server: string,
  given: { readonly [name: string]: string },
  ours: Variables,
): { readonly [name: string]: string } {
  const inherited = harmless.flatMap((name) => {
    const value = ours[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries([...inherited, ...Object.entries(filledIn(server, given, ours))]);
}

/** Values with `${NAME}` replaced, so that a file can say where a secret is without having it. */
export function filledIn(
  server: string,
  given: { readonly [name: string]: string },
  ours: Variables,
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
