import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** User settings that would affect the tests. */
const personal = /^(?:PAWL_(?!SEED$)|OTEL_|GIT_|.*_API_KEY$|FORCE_COLOR$|NO_COLOR$|DEBUG$|NODE_OPTIONS$)/;

/**
 * Gives each test run temporary, config and data folders of its own and hides the user's settings. The tests and all
 * processes they start inherit this environment.
 */
export function setup(): () => void {
  const folder = realpathSync.native(mkdtempSync(join(tmpdir(), 'pawl-tests-')));
  for (const name of Object.keys(process.env)) if (personal.test(name)) delete process.env[name];
  const temporary = join(folder, 'tmp');
  mkdirSync(temporary);
  // Tests of unreadable files drop root privileges and must still reach their own folders.
  for (const each of [folder, temporary]) chmodSync(each, 0o711);
  writeFileSync(join(folder, 'gitconfig'), '');
  Object.assign(process.env, {
    TMPDIR: temporary,
    TEMP: temporary,
    TMP: temporary,
    XDG_CONFIG_HOME: join(folder, 'config'),
    XDG_DATA_HOME: join(folder, 'data'),
    GIT_CONFIG_GLOBAL: join(folder, 'gitconfig'),
    GIT_CONFIG_NOSYSTEM: '1',
  });
  return () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
