import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findProgram, installSystemPackages } from '../setup/system-packages.mjs';

let folder = '';
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'pawl-system-'))));
afterEach(() => rmSync(folder, { recursive: true }));

const needed = ['first', 'second', 'sh'].map((name) => ({
  tag: name,
  commands: [name === 'sh' ? 'sh' : `no-such-program-${name}`],
  apt: `${name}-package`,
  brew: null,
  usedBy: `the ${name} feature`,
}));

type TestMachine = { readonly userId?: number; readonly env?: Readonly<Record<string, string>> };

/** Runs with an apt-get that records its arguments and fails where `fails` (a shell condition) holds. */
function runInstall(
  fails: string,
  { userId = 0, env = {} }: TestMachine = {},
): { lines: readonly string[]; requested: string } {
  const requested = join(folder, 'asked');
  const script = `#!/bin/sh\necho "$@" >> ${requested}\nif ${fails}; then exit 1; fi\n`;
  writeFileSync(join(folder, 'apt-get'), script, { mode: 0o755 });
  const lines: string[] = [];
  const machine = { PATH: `${folder}:/usr/bin:/bin`, ...env };
  installSystemPackages((line) => lines.push(line), { wanted: needed, env: machine, userId });
  const calls = existsSync(requested) ? readFileSync(requested, 'utf8') : '';
  return { lines, requested: calls.replaceAll('-qq -o DPkg::Lock::Timeout=300 ', '') };
}

describe('installSystemPackages', { tags: ['unix'] }, () => {
  it.each([{}, { CI: 'true' }, { PAWL_SYSTEM_PACKAGES: 'yes' }])(
    'installs missing packages for root and reports which and why, with %j',
    (env) => {
      expect(runInstall('false', { env })).toEqual({
        lines: [
          expect.stringContaining('PAWL_SYSTEM_PACKAGES=no'),
          '  first-package, for the tests of the first feature',
          '  second-package, for the tests of the second feature',
        ],
        requested: 'update\ninstall --yes --no-install-recommends first-package second-package\n',
      });
    },
  );

  it('never calls apt for a user other than root', () => {
    expect(runInstall('false', { userId: 1000 })).toEqual({ lines: [], requested: '' });
    expect(runInstall('false', { userId: 1000, env: { CI: 'true' } })).toEqual({ lines: [], requested: '' });
  });

  it('installs nothing with PAWL_SYSTEM_PACKAGES=no', () => {
    expect(runInstall('false', { env: { CI: 'true', PAWL_SYSTEM_PACKAGES: 'no' } })).toEqual({
      lines: [],
      requested: '',
    });
  });

  it('installs the other packages if one fails, and names it', () => {
    const { lines, requested } = runInstall('echo "$@" | grep -q first-package');
    expect(requested.split('\n').slice(2, 4)).toEqual([
      'install --yes --no-install-recommends first-package',
      'install --yes --no-install-recommends second-package',
    ]);
    expect(lines.at(-1)).toMatch(/could not install first-package;/);
  });

  it('uses the existing package lists if they cannot be updated', () => {
    expect(runInstall('test "$4" = update').lines).toHaveLength(3);
  });
});

describe('a program in a package that would start a server', { tags: ['unix'] }, () => {
  const program = {
    tag: 'probe',
    commands: ['no-such-program-probe'],
    apt: 'server-package',
    extract: 'usr/bin/probe',
    brew: null,
    usedBy: 'the probe feature',
  };

  /** Runs with an apt-get that only downloads, and a dpkg-deb that unpacks a program. */
  function extractProbe(download: string): { lines: readonly string[]; requested: string } {
    const requested = join(folder, 'asked');
    writeFileSync(join(folder, 'apt-get'), `#!/bin/sh\necho "$@" >> ${requested}\n${download}\n`, {
      mode: 0o755,
    });
    const unpack =
      '#!/bin/sh\nmkdir -p "$3/usr/bin" && echo probe > "$3/usr/bin/probe" && chmod 755 "$3/usr/bin/probe"\n';
    writeFileSync(join(folder, 'dpkg-deb'), unpack, { mode: 0o755 });
    const lines: string[] = [];
    const env = { PATH: `${folder}:/usr/bin:/bin` };
    const options = { wanted: [program], env, userId: 0, binFolder: join(folder, 'bin') };
    installSystemPackages((line) => lines.push(line), options);
    return { lines, requested: readFileSync(requested, 'utf8') };
  }

  it('is taken out of the package, which is not installed', () => {
    const { lines, requested } = extractProbe('touch server.deb');
    expect(readFileSync(join(folder, 'bin', 'probe'), 'utf8')).toBe('probe\n');
    expect(findProgram(['probe'], { PATH: join(folder, 'bin') })).not.toBeNull();
    expect(requested).toContain('download server-package');
    expect(requested).not.toContain('install');
    expect(lines).toHaveLength(2);
  });

  it.each(['exit 1', 'true'])('is reported if it cannot be downloaded (%s)', (download) => {
    expect(extractProbe(download).lines.at(-1)).toMatch(/could not install server-package;/);
    expect(existsSync(join(folder, 'bin', 'probe'))).toBe(false);
  });
});

describe('findProgram', { tags: ['unix'] }, () => {
  it('finds the first executable file in the absolute folders of PATH', () => {
    mkdirSync(join(folder, 'a-folder'));
    writeFileSync(join(folder, 'plain-file'), '');
    writeFileSync(join(folder, 'program'), '', { mode: 0o755 });
    const env = { PATH: `relative:${folder}` };
    expect(findProgram(['a-folder', 'plain-file', 'program'], env)).toBe(join(folder, 'program'));
    chmodSync(join(folder, 'program'), 0o644);
    expect(findProgram(['a-folder', 'plain-file', 'program'], env)).toBeNull();
  });
});
