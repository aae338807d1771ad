import { describe, expect, it } from 'vitest';
import {
  buildProgramCommand,
  buildShellCommand,
  findSystemProgram,
  getShellName,
} from '../../src/platform/programs.ts';

const env = {
  SystemRoot: String.raw`C:\Windows`,
  Path: String.raw`.;C:\work\bin;C:\Program Files\nodejs;relative`,
};

function refuse(): never {
  throw new Error('Nothing is called here.');
}

describe('a command line', () => {
  it.each(['linux', 'darwin'] as const)('runs in sh on %s', (platform) => {
    expect(getShellName(platform)).toBe('sh');
    expect(buildShellCommand(platform, `echo "a b"`)).toEqual({
      file: '/bin/sh',
      args: ['-c', `echo "a b"`],
      windowsVerbatimArguments: false,
    });
  });

  it('runs in the cmd.exe of the system on Windows, quoted once', () => {
    expect(getShellName('win32')).toBe('cmd.exe');
    expect(buildShellCommand('win32', `echo "a b" & dir`, env)).toEqual({
      file: String.raw`C:\Windows\System32\cmd.exe`,
      args: ['/d', '/s', '/c', `"echo "a b" & dir"`],
      windowsVerbatimArguments: true,
    });
  });

  it('finds Windows system programs without a search path', () => {
    expect(findSystemProgram('cmd.exe', {})).toBe(String.raw`C:\Windows\System32\cmd.exe`);
    expect(findSystemProgram('cmd.exe', { windir: String.raw`D:\WinNT` })).toBe(
      String.raw`D:\WinNT\System32\cmd.exe`,
    );
  });
});

describe('a program', () => {
  const files = new Set([
    String.raw`C:\Program Files\nodejs\npx.cmd`,
    String.raw`C:\Program Files\nodejs\node.exe`,
    String.raw`C:\project\check.bat`,
    // In folders that are not looked into.
    String.raw`relative\git.exe`,
    'git.exe',
  ]);
  const windows = { env, platform: 'win32', exists: (path: string) => files.has(path) } as const;

  it.each(['linux', 'darwin'] as const)('is started directly on %s', (platform) => {
    expect(buildProgramCommand('npx', ['-y', 'a "b" %c%'], { env, platform, exists: refuse })).toEqual({
      file: 'npx',
      args: ['-y', 'a "b" %c%'],
      windowsVerbatimArguments: false,
    });
  });

  it('is found on the Windows search path and gets its arguments unchanged', () => {
    expect(buildProgramCommand('node', ['-e', 'say("%x%")'], windows)).toEqual({
      file: String.raw`C:\Program Files\nodejs\node.exe`,
      args: ['-e', 'say("%x%")'],
      windowsVerbatimArguments: false,
    });
  });

  it('runs in cmd.exe on Windows when it is a batch file', () => {
    expect(buildProgramCommand('npx', ['-y', 'a b', 'https://x/?a=1&b=2'], windows)).toEqual({
      file: String.raw`C:\Windows\System32\cmd.exe`,
      args: [
        '/d',
        '/s',
        '/c',
        String.raw`""C:\Program Files\nodejs\npx.cmd" "-y" "a b" "https://x/?a=1&b=2""`,
      ],
      windowsVerbatimArguments: true,
    });
  });

  it.each(['a"b', '%PATH%', 'two\nlines', 'two\rlines'])(
    'is not given %j when it is a batch file',
    (argument) => {
      expect(() => buildProgramCommand('npx', [argument], windows)).toThrow(
        '"npx" is a batch file, and an argument with a quotation mark, a percent sign or a line break cannot be passed',
      );
    },
  );

  it('is resolved relative to its working folder', () => {
    const { args } = buildProgramCommand('./check', [], { ...windows, cwd: String.raw`C:\project` });
    expect(args.at(-1)).toBe(String.raw`""C:\project\check.bat""`);
  });

  it('is never taken from the working folder on Windows', () => {
    expect(() => buildProgramCommand('git', ['status'], windows)).toThrow(
      'Command not found: "git". Install it, or correct its name.',
    );
    expect(() => buildProgramCommand('git', ['status'], windows)).toThrow(
      expect.objectContaining({ code: 'ENOENT' }),
    );
  });
});
