import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

/** Where the user's own settings are. A relative path in the environment means nothing, as the standard has it. */
export function configFolder(env: NodeJS.ProcessEnv = process.env): string {
  const named = env['XDG_CONFIG_HOME'] ?? '';
  return join(isAbsolute(named) ? named : join(homedir(), '.config'), 'pawl');
}
