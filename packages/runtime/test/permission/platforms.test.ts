import { describe, expect, it } from 'vitest';
import { matchesPlainCommand, matchesAnyCommand } from '../../src/permission/command-pattern.ts';
import { createPermissionPolicy, type PermissionPolicyOptions } from '../../src/permission/permissions.ts';
import { parseShellLine, type ShellLine } from '../../src/permission/shell-words.ts';
import type { Tool } from '../../src/tools/tool.ts';

const tools = (
  [
    ['write', 'verifiable'],
    ['shell', 'not-repeatable'],
  ] as const
).map(([name, effect]) => ({
  description: { name, description: '', parameters: {} },
  effect,
  isConfinedToFolder: true,
})) as Pick<Tool, 'description' | 'effect' | 'isConfinedToFolder'>[];

function createPlatformPolicy(platform: NodeJS.Platform, options: Partial<PermissionPolicyOptions> = {}) {
  const root = platform === 'win32' ? String.raw`C:\work\project` : '/work/project';
  return createPermissionPolicy({ mode: 'auto-edit', root, tools, sandboxed: false, platform, ...options });
}

function decideWrite(platform: NodeJS.Platform, path: string): string {
  return createPlatformPolicy(platform).explain({ tool: 'write', args: { path } }).decision;
}

function parseWindowsLine(line: string): ShellLine {
  return parseShellLine(line, 'win32');
}

describe('the git folder', () => {
  it.each(['.git/config', '.GIT/config', 'sub/.Git/hooks/x'])('is protected as %j everywhere', (path) => {
    for (const platform of ['linux', 'darwin', 'win32'] as const)
      expect(decideWrite(platform, path)).toBe('deny');
  });

  it('is protected under every spelling that macOS accepts', () => {
    expect(decideWrite('darwin', '.g\u200Cit/config')).toBe('deny');
    expect(decideWrite('linux', '.g\u200Cit/config')).toBe('allow');
  });

  it.each([
    String.raw`.git\config`,
    '.git./config',
    '.git /config',
    '.git::$INDEX_ALLOCATION/config',
    String.raw`src\..\.git\config`,
  ])('is protected as %j on Windows', (path) => {
    expect(decideWrite('win32', path)).toBe('deny');
  });
});

describe('the working folder', () => {
  it.each([
    String.raw`D:\secrets.txt`,
    String.raw`C:\Windows\win.ini`,
    'C:/Windows/win.ini',
    String.raw`\\server\share\file`,
    '//server/share/file',
    String.raw`\Windows\win.ini`,
    String.raw`..\other\file`,
    String.raw`\\?\C:\work\project\file`,
    'notes.txt:stream',
    'NUL',
    'docs/aux.md',
  ])('does not contain %j on Windows', (path) => {
    expect(createPlatformPolicy('win32').explain({ tool: 'write', args: { path } })).toMatchObject({
      decision: 'deny',
      reason: 'it leads outside the folder',
    });
  });

  it.each(['docs/a.md', String.raw`docs\a.md`, String.raw`C:\work\project\docs\a.md`])(
    'holds %j on Windows, which rules name with slashes',
    (path) => {
      const rules = [{ decision: 'ask', tool: 'write', on: 'docs/*.md' }] as const;
      const { decision, rule } = createPlatformPolicy('win32', { rules }).explain({
        tool: 'write',
        args: { path },
      });
      expect({ decision, on: rule?.on }).toEqual({ decision: 'ask', on: 'docs/*.md' });
    },
  );

  it('gets an "always" rule with slashes on Windows', () => {
    const call = { tool: 'write', args: { path: String.raw`docs\a.md` } };
    expect(createPlatformPolicy('win32').createAlwaysRule(call)).toMatchObject({ on: 'docs/a.md' });
  });
});

describe('a command line for cmd.exe', () => {
  it('is parsed with backslashes in paths, and with double quotes only', () => {
    expect(parseWindowsLine(String.raw`type docs\a.md "b c"`)).toEqual({
      commands: [['type', String.raw`docs\a.md`, 'b c']],
      notPlainReason: null,
      isComplete: true,
    });
    expect(parseWindowsLine(`echo 'a b'`).commands).toEqual([['echo', `'a`, `b'`]]);
    // The same line, as sh reads it.
    expect(parseShellLine(`echo 'a b'`, 'linux').commands).toEqual([['echo', 'a b']]);
  });

  it.each([
    `git log 'a & del x'`,
    String.raw`git log "a\" & del x`,
    'git log & del x',
    'git log && del x',
    'git log | del x',
    'git log\ndel x',
    '(del x)',
    'git log; del x',
  ])('is not plain if it joins commands: %j', (line) => {
    const found = parseWindowsLine(line);
    expect(found.notPlainReason).not.toBeNull();
    expect(matchesPlainCommand('git **', found)).toBe(false);
    expect(matchesAnyCommand('del', found, 'win32')).toBe(true);
  });

  it.each([
    'echo %PATH%',
    'echo "%PATH%"',
    'd^el x',
    'echo !x!',
    'del,x',
    'del=x',
    '@del x',
    'if exist x del x',
    'for %i in (x) do del x',
    'echo "open',
    '"" x',
  ])('is not complete if cmd.exe expands or reparses it: %j', (line) => {
    expect(parseWindowsLine(line)).toMatchObject({ isComplete: false });
  });

  it('matches a program in any case, with and without its extension and folder', () => {
    for (const line of [
      'DEL x',
      'git.exe push',
      String.raw`C:\Git\bin\GIT.EXE push`,
      '"C:/Git/bin/git.cmd" push',
    ]) {
      const pattern = line.startsWith('DEL') ? 'del' : 'git push';
      expect(matchesAnyCommand(pattern, parseWindowsLine(line), 'win32')).toBe(true);
    }
    expect(matchesAnyCommand('git push', parseWindowsLine('git.exe log'), 'win32')).toBe(false);
  });

  it('matches a program in any case on macOS, and case-sensitively on Linux', () => {
    expect(matchesAnyCommand('rm', parseShellLine('RM -rf x', 'darwin'), 'darwin')).toBe(true);
    expect(matchesAnyCommand('rm', parseShellLine('RM -rf x', 'linux'), 'linux')).toBe(false);
  });

  it('is denied by a rule on Windows as on other platforms', () => {
    const rules = [{ decision: 'deny', tool: 'shell', on: 'git push' }] as const;
    const explain = (platform: NodeJS.Platform, command: string): string =>
      createPlatformPolicy(platform, { rules }).explain({ tool: 'shell', args: { command } }).decision;
    expect(explain('win32', 'Git.exe push origin')).toBe('deny');
    expect(explain('win32', 'git log')).toBe('ask');
    expect(explain('linux', 'git push origin')).toBe('deny');
  });
});
