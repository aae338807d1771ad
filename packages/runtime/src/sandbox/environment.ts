import { delimiter, isAbsolute } from 'node:path';

export type Environment = { readonly [name: string]: string };

/** What a program needs in order to run and to write readable text. Everything else may hold a secret. */
const harmless: ReadonlySet<string> = new Set(
  (
    'PATH HOME USER LOGNAME SHELL LANG LANGUAGE TZ CI TERM COLORTERM NO_COLOR ' +
    'SYSTEMROOT COMSPEC PATHEXT USERPROFILE TEMP TMP'
  ).split(' '),
);

/** The environment for a command that somebody else wrote: no keys, no tokens, no sockets. */
export function scrubbedEnvironment(env: NodeJS.ProcessEnv = process.env): Environment {
  const kept = Object.entries(env).flatMap(([name, value]) =>
    value !== undefined && isHarmless(name.toUpperCase())
      ? [[name, name.toUpperCase() === 'PATH' ? searchPath(value) : value] as const]
      : [],
  );
  return Object.fromEntries(kept);
}

function isHarmless(name: string): boolean {
  return harmless.has(name) || name.startsWith('LC_');
}

/** An empty or relative entry would let a file of the working folder pose as a system command. */
function searchPath(value: string): string {
  return value.split(delimiter).filter(isAbsolute).join(delimiter);
}
