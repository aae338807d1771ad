import { homedir } from 'node:os';
import { win32 } from 'node:path';
import { describe, expect, it } from 'vitest';
import { getUserConfigFolder } from '../../src/platform/data-folder.ts';
import { buildHostProgram } from '../../src/config/run-config-code.ts';
import { parseGitPaths } from '../../src/hooks/git.ts';
import { buildServerCommand } from '../../src/mcp/process-group.ts';
import { buildServerEnvironment } from '../../src/mcp/variables.ts';
import { passthroughSandbox } from '../../src/sandbox/command-sandbox.ts';
import { createShellTool } from '../../src/tools/shell.ts';

describe('the configuration folder', () => {
  const roaming = String.raw`C:\Users\me\AppData\Roaming`;

  it('is in %APPDATA% on Windows', () => {
    expect(getUserConfigFolder({ APPDATA: roaming }, 'win32')).toBe(String.raw`${roaming}\pawl`);
    expect(getUserConfigFolder({}, 'win32')).toBe(win32.join(homedir(), 'AppData', 'Roaming', 'pawl'));
    expect(getUserConfigFolder({ APPDATA: roaming, XDG_CONFIG_HOME: String.raw`D:\etc` }, 'win32')).toBe(
      String.raw`D:\etc\pawl`,
    );
  });

  it.each(['linux', 'darwin'] as const)('is in ~/.config on %s', (platform) => {
    expect(getUserConfigFolder({ APPDATA: roaming }, platform)).toBe(`${homedir()}/.config/pawl`);
    expect(getUserConfigFolder({ XDG_CONFIG_HOME: '/etc/me' }, platform)).toBe('/etc/me/pawl');
  });
});

describe('a configuration in TypeScript', () => {
  it('runs under a file URL, which has a drive letter on Windows', () => {
    expect(buildHostProgram('win32')).toContain(`const url = 'file:///C:/pawl.config.ts';`);
    expect(buildHostProgram('linux')).toContain(`const url = 'file:///pawl.config.ts';`);
    expect(buildHostProgram('darwin')).toBe(buildHostProgram('linux'));
  });
});

describe('the paths that git writes', () => {
  it('have backslashes on Windows and no line endings', () => {
    const text = 'C:/work/project\r\nC:/work/project/.git\r\n';
    expect(parseGitPaths(text, (path) => win32.normalize(path))).toEqual([
      String.raw`C:\work\project`,
      String.raw`C:\work\project\.git`,
      '',
    ]);
    expect(parseGitPaths('/work/a b\n/work/.git\n')).toEqual(['/work/a b', '/work/.git', '']);
  });
});

describe('an MCP server', () => {
  const launch = {
    command: 'npx',
    args: ['-y', 'server'],
    env: { PATH: String.raw`C:\nodejs`, SYSTEMROOT: String.raw`C:\Windows` },
    cwd: undefined,
  };

  it.each(['linux', 'darwin'] as const)('runs behind a guard on %s', (platform) => {
    const { file, args } = buildServerCommand(launch, platform);
    expect([file, args[0], ...args.slice(2)]).toEqual(['/bin/sh', '-c', 'sh', 'npx', '-y', 'server']);
  });

  it('runs without a guard on Windows, where npx is a batch file', () => {
    expect(buildServerCommand(launch, 'win32', (path) => path === String.raw`C:\nodejs\npx.cmd`)).toEqual({
      file: String.raw`C:\Windows\System32\cmd.exe`,
      args: ['/d', '/s', '/c', String.raw`""C:\nodejs\npx.cmd" "-y" "server""`],
      windowsVerbatimArguments: true,
    });
  });

  it('gets the variables that Windows programs need, and no secret', () => {
    const ours = { Path: 'p', SystemRoot: 'r', AppData: 'a', API_KEY: 'k', HOME: 'h' };
    expect(buildServerEnvironment('s', { OWN: 'yes' }, ours, 'win32')).toEqual({
      Path: 'p',
      SystemRoot: 'r',
      AppData: 'a',
      HOME: 'h',
      NoDefaultCurrentDirectoryInExePath: '1',
      OWN: 'yes',
    });
    expect(buildServerEnvironment('s', { OWN: 'yes' }, ours, 'linux')).toEqual({ HOME: 'h', OWN: 'yes' });
  });
});

describe('the shell tool', () => {
  it.each([
    ['linux', 'with sh '],
    ['darwin', 'with sh '],
    ['win32', 'with cmd.exe '],
  ] as const)('tells models which shell it is on %s', (platform, text) => {
    const { description } = createShellTool({ root: '/work', sandbox: passthroughSandbox, platform });
    expect(description.description).toContain(text);
  });
});
