import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join, posix, win32 } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browserCommand } from '../src/dashboard/browser.ts';
import { type DoctorCheck, runDoctor } from '../src/commands/doctor/action.ts';
import { getDataFolder } from '@pawl/runtime/data-folder';
import { hasHookEntries, addHookEntries, buildHookCommand } from '@pawl/gateway/hook';
import { stopSignals } from '../src/main.ts';
import { captureIo } from './capture-io.ts';

const localAppData = String.raw`C:\Users\me\AppData\Local`;
const bin = new URL('../bin/cache-folder.cjs', import.meta.url).href;
const { cacheFolder } = (await import(bin)) as { cacheFolder: typeof getDataFolder };

describe('the user folders', () => {
  it('follow the conventions of each platform', () => {
    expect(getDataFolder({ env: {}, platform: 'linux' })).toBe(posix.join(homedir(), '.local/share/pawl'));
    expect(cacheFolder({ env: {}, platform: 'linux' })).toBe(posix.join(homedir(), '.cache/pawl'));
    expect(getDataFolder({ env: {}, platform: 'darwin' })).toBe(
      posix.join(homedir(), 'Library/Application Support/pawl'),
    );
    expect(cacheFolder({ env: {}, platform: 'darwin' })).toBe(posix.join(homedir(), 'Library/Caches/pawl'));
    const windows = { env: { LOCALAPPDATA: localAppData }, platform: 'win32' } as const;
    expect(getDataFolder(windows)).toBe(String.raw`${localAppData}\pawl`);
    expect(cacheFolder(windows)).toBe(String.raw`${localAppData}\pawl\cache`);
    expect(getDataFolder({ env: {}, platform: 'win32' })).toBe(
      win32.join(homedir(), 'AppData', 'Local', 'pawl'),
    );
  });

  it.each(['linux', 'darwin', 'win32'] as const)('follow the XDG variables on %s', (platform) => {
    const env = { XDG_DATA_HOME: '/data', XDG_CACHE_HOME: '/cache', LOCALAPPDATA: localAppData };
    expect(getDataFolder({ env, platform }).replaceAll('\\', '/')).toBe('/data/pawl');
    expect(cacheFolder({ env, platform }).replaceAll('\\', '/')).toBe('/cache/pawl');
  });
});

describe('the command line of a hook', () => {
  const windows = [
    String.raw`C:\Program Files\nodejs\node.exe`,
    String.raw`C:\Users\me\pawl-hook.js`,
  ] as const;

  it.each(['linux', 'darwin'] as const)('is quoted for sh on %s', (platform) => {
    expect(buildHookCommand('claude', ['/opt/node 24/bin/node', '/opt/pawl-hook.js'], [], platform)).toBe(
      '"/opt/node 24/bin/node" "/opt/pawl-hook.js" claude',
    );
    expect(
      buildHookCommand(
        'gemini',
        ['/a$b/node', "/it's `x`/pawl-hook.js"],
        ['--max-tool-calls', '5'],
        platform,
      ),
    ).toBe(String.raw`'/a$b/node' '/it'\''s ` + "`x`/pawl-hook.js' gemini --max-tool-calls 5");
  });

  it('is parsed by sh as intended', { tags: ['unix'] }, () => {
    const command = buildHookCommand(
      'codex',
      ['printf', String.raw`$HOME\it's "x" pawl-hook.js`],
      [],
      'linux',
    );
    const { stdout } = spawnSync('sh', ['-c', command.replace(/^"printf"/, `printf '%s|'`)], {
      encoding: 'utf8',
    });
    expect(stdout).toBe(String.raw`$HOME\it's "x" pawl-hook.js|codex|`);
  });

  it.each(['claude', 'codex'] as const)('is quoted for cmd.exe and bash on Windows: %s', (host) => {
    expect(buildHookCommand(host, windows, [], 'win32')).toBe(`"${windows[0]}" "${windows[1]}" ${host}`);
    expect(() => buildHookCommand(host, [String.raw`C:\%x%\node.exe`, windows[1]], [], 'win32')).toThrow(
      'Install Node and Pawl in a folder without %, $ and `.',
    );
  });

  it('is quoted for PowerShell where Gemini runs on Windows', () => {
    expect(buildHookCommand('gemini', [String.raw`C:\it's\node.exe`, windows[1]], [], 'win32')).toBe(
      String.raw`& 'C:\it''s\node.exe' 'C:\Users\me\pawl-hook.js' gemini`,
    );
  });

  it.each(['linux', 'win32'] as const)('is recognized when it was written on %s', (platform) => {
    for (const host of ['claude', 'codex', 'gemini'] as const) {
      const command = buildHookCommand(host, windows, [], platform);
      expect(hasHookEntries(addHookEntries({}, host, command), host)).toBe(true);
    }
  });
});

describe('a browser', () => {
  it('is opened with the program of each platform', () => {
    expect(browserCommand('darwin', {})).toEqual(['open']);
    expect(browserCommand('win32', {})).toEqual(['rundll32', 'url.dll,FileProtocolHandler']);
    expect(browserCommand('linux', { DISPLAY: ':0' })).toEqual(['xdg-open']);
    expect(browserCommand('linux', {})).toBeNull();
  });
});

describe('a command', () => {
  it('is also stopped by Ctrl-Break on Windows', () => {
    expect(stopSignals('win32')).toEqual(['SIGINT', 'SIGTERM', 'SIGBREAK']);
    expect(stopSignals('linux')).toEqual(['SIGINT', 'SIGTERM']);
    expect(stopSignals('darwin')).toEqual(['SIGINT', 'SIGTERM']);
  });
});

describe('pawl doctor', () => {
  let folder = '';
  beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), 'pawl-platforms-'))));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  async function adviceOn(platform: NodeJS.Platform): Promise<Readonly<Record<string, string | null>>> {
    const { io, out } = captureIo();
    const homes = { XDG_CONFIG_HOME: join(folder, 'config'), XDG_DATA_HOME: join(folder, 'data') };
    const env = { PATH: folder, ...homes };
    await runDoctor({ json: true }, io, {
      env,
      platform,
      cwd: folder,
      nodeVersion: '24.7.0',
      timeoutMs: 3_000,
    });
    const { checks } = JSON.parse(out()) as { readonly checks: readonly DoctorCheck[] };
    return Object.fromEntries(checks.map(({ name, advice }) => [name, advice]));
  }

  it('suggests the package manager of each platform', async () => {
    expect(await adviceOn('linux')).toMatchObject({
      git: 'Install git to commit each step automatically: apt install git',
    });
    expect(await adviceOn('darwin')).toMatchObject({
      git: 'Install git to commit each step automatically: brew install git',
      'redis-server': 'Install Redis to run several workers: brew install redis',
      sandbox: 'The sandbox is not supported on macOS, so commands run with all your permissions.',
    });
    expect(await adviceOn('win32')).toMatchObject({
      git: 'Install git to commit each step automatically: winget install Git.Git',
      'redis-server':
        'Install Redis to run several workers. There is no version for Windows: run it in a container or on another machine.',
      sandbox: 'The sandbox is not supported on Windows, so commands run with all your permissions.',
    });
  });
});
