import { findProgram } from '../setup/system-packages.mjs';

/** Returns the path of the first of these commands that is installed. Tests that call it have the tag of the program. */
export function requireProgram(...commands: readonly string[]): string {
  const path = findProgram(commands);
  if (path === null)
    throw new Error(`Expected one of these programs to be installed: ${commands.join(', ')}.`);
  return path;
}
