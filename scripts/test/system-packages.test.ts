import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { root } from '../source-files.ts';

let folder = '';
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'pawl-system-'))));
afterEach(() => rmSync(folder, { recursive: true }));

const wanted = [
  { file: '/there/is/no/such/program', name: 'wanted' },
  { file: process.execPath, name: 'there-already' },
];

/** Sets up with an apt-get that writes down what it is asked to do; returns what was said and what was asked. */
function install(env: Readonly<Record<string, string>>, exitCode = 0): { said: string; asked: string } {
  const asked = join(folder, 'asked');
  writeFileSync(join(folder, 'apt-get'), `#!/bin/sh\necho "$@" >> ${asked}\nexit ${exitCode}\n`, {
    mode: 0o755,
  });
  const script = `import { installSystemPackages } from ${JSON.stringify(join(root, 'scripts/setup/system-packages.mjs'))};
    installSystemPackages((line) => console.log(line), ${JSON.stringify(wanted)});`;
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    env: { PATH: `${folder}:/usr/bin:/bin`, ...env },
    encoding: 'utf8',
  });
  return { said: stdout, asked: existsSync(asked) ? readFileSync(asked, 'utf8') : '' };
}

const isRoot = process.getuid?.() === 0;

describe('the packages of the system', () => {
  it('are never touched on a machine that is not there for the tests', () => {
    expect(install({})).toEqual({ said: '', asked: '' });
    expect(install({ CI: 'false' })).toEqual({ said: '', asked: '' });
  });

  it(`are ${isRoot ? 'installed in CI where they are missing' : 'left alone by everybody but root'}`, () => {
    const { said, asked } = install({ CI: 'true' });
    expect(said).toBe(isRoot ? 'installing for the tests: wanted …\n' : '');
    expect(asked).toBe(isRoot ? '-qq update\n-qq install --yes --no-install-recommends wanted\n' : '');
  });

  it('are done without, with a word about it, where they cannot be installed', () => {
    const { said, asked } = install({ CI: 'true' }, 1);
    expect(said.includes('could not install them')).toBe(isRoot);
    expect(asked).toBe(isRoot ? '-qq update\n' : '');
  });
});
