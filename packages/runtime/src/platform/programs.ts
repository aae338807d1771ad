import { getPlatformPaths, type EnvironmentVariables } from './platform.ts';
import { existsSync } from 'node:fs';

/** A program and its arguments, as passed to `spawn`. */
export type ProgramCommand = {
  readonly file: string;
  readonly args: readonly string[];
  /** Windows only: the arguments are already quoted. */
  readonly windowsVerbatimArguments: boolean;
};

/** Variables that Windows programs need to find their files and that contain no secrets. */
export const windowsVariables: readonly string[] = [
  'ALLUSERSPROFILE',
  'APPDATA',
  'COMMONPROGRAMFILES',
  'COMMONPROGRAMFILES(X86)',
  'COMMONPROGRAMW6432',
  'COMPUTERNAME',
  'COMSPEC',
  'HOMEDRIVE',
  'HOMEPATH',
  'LOCALAPPDATA',
  'NUMBER_OF_PROCESSORS',
  'OS',
  'PATHEXT',
  'PROCESSOR_ARCHITECTURE',
  'PROGRAMDATA',
  'PROGRAMFILES',
  'PROGRAMFILES(X86)',
  'PROGRAMW6432',
  'PUBLIC',
  'SYSTEMDRIVE',
  'SYSTEMROOT',
  'TEMP',
  'TMP',
  'USERDOMAIN',
  'USERNAME',
  'USERPROFILE',
  'WINDIR',
];

/** This variable prevents Windows from running programs in the working folder instead of those on the search path. */
export const safeSearchVariable = 'NoDefaultCurrentDirectoryInExePath';

/** The name of the platform's shell, as shown to models. */
export function getShellName(platform: NodeJS.Platform): string {
  return platform === 'win32' ? 'cmd.exe' : 'sh';
}

/** Builds the command that runs a command line in the platform's shell. */
export function buildShellCommand(
  platform: NodeJS.Platform,
  line: string,
  env: EnvironmentVariables = process.env,
): ProgramCommand {
  if (platform !== 'win32') return { file: '/bin/sh', args: ['-c', line], windowsVerbatimArguments: false };
  // With /s, cmd.exe removes the outer quotes and keeps the rest unchanged.
  return {
    file: findSystemProgram('cmd.exe', env),
    args: ['/d', '/s', '/c', `"${line}"`],
    windowsVerbatimArguments: true,
  };
}

/** Returns the absolute path of a Windows system program, so that no file in the working folder can impersonate it. */
export function findSystemProgram(name: string, env: EnvironmentVariables = process.env): string {
  const root = readVariable(env, 'SYSTEMROOT') ?? readVariable(env, 'WINDIR') ?? String.raw`C:\Windows`;
  return getPlatformPaths('win32').join(root, 'System32', name);
}

/** Reads a variable case-insensitively, as Windows does. */
function readVariable(env: EnvironmentVariables, name: string): string | undefined {
  const key = Object.keys(env).find((each) => each.toUpperCase() === name);
  const value = key === undefined ? '' : (env[key] ?? '');
  return value === '' ? undefined : value;
}

export type ProgramOptions = {
  readonly env: EnvironmentVariables;
  /** The working folder of the program. */
  readonly cwd?: string;
  readonly platform?: NodeJS.Platform;
  /** Whether a file exists at a path. */
  readonly exists?: (path: string) => boolean;
};

/**
 * Builds the command that starts a program with its arguments. On Windows the program is searched for in the absolute
 * folders of the search path, never in the working folder, and batch files such as `npx.cmd` run in cmd.exe. Throws if
 * the program does not exist, or if an argument cannot be passed to a batch file safely.
 */
export function buildProgramCommand(
  file: string,
  args: readonly string[],
  { env, cwd = '.', platform = process.platform, exists = existsSync }: ProgramOptions,
): ProgramCommand {
  if (platform !== 'win32') return { file, args, windowsVerbatimArguments: false };
  const found = findWindowsProgram(file, { env, cwd, exists });
  if (!/\.(?:cmd|bat)$/i.test(found)) return { file: found, args, windowsVerbatimArguments: false };
  const line = [found, ...args].map((argument) => quoteForBatchFile(argument, file)).join(' ');
  return buildShellCommand(platform, line, env);
}

type WindowsSearch = Required<Pick<ProgramOptions, 'env' | 'cwd' | 'exists'>>;

function findWindowsProgram(file: string, { env, cwd, exists }: WindowsSearch): string {
  const paths = getPlatformPaths('win32');
  const names = startablePattern.test(file) ? [file] : programExtensions.map((ending) => file + ending);
  const folders = (readVariable(env, 'PATH') ?? '').split(';').filter((folder) => paths.isAbsolute(folder));
  const candidates = /[\\/]/.test(file)
    ? names.map((name) => paths.resolve(cwd, name))
    : folders.flatMap((folder) => names.map((name) => paths.join(folder, name)));
  const found = candidates.find((each) => exists(each));
  if (found === undefined) throw new MissingProgramError(file);
  return found;
}

/** Carries the code of the equivalent system error. */
class MissingProgramError extends Error {
  readonly code = 'ENOENT';

  constructor(file: string) {
    super(`Command not found: ${JSON.stringify(file)}. Install it, or correct its name.`);
  }
}

/** Extensions that Windows can start: programs directly, batch files through cmd.exe. */
const startablePattern = /\.(?:com|exe|bat|cmd)$/i;
const programExtensions = ['.com', '.exe', '.bat', '.cmd'] as const;

/** cmd.exe expands percent signs even within quotes, and a batch file parses its arguments a second time. */
function quoteForBatchFile(argument: string, program: string): string {
  if (!/["%\r\n\0]/.test(argument)) return `"${argument}"`;
  throw new TypeError(
    `${JSON.stringify(program)} is a batch file, and an argument with a quotation mark, a percent sign or a line break cannot be passed to it safely on Windows. Use the program that it starts instead, such as node with a script.`,
  );
}
