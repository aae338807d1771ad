import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { getClineHookName } from './cline-hooks.ts';
import type { HookHost } from './hook-event.ts';

/** Where a host reads its hooks, and how to see that it is installed. */
type HostSettingsLocation = {
  /** The programs that start the host. */
  readonly programs: readonly string[];
  /** The settings file in a project. */
  readonly project: readonly [folder: string, ...file: readonly string[]];
  /** The user's settings file in the home folder, if it has another path there than in a project. */
  readonly user?: readonly [folder: string, ...file: readonly string[]];
  /** The environment variable that overrides the folder of the user's settings, and the path of the file inside it. */
  readonly override?: { readonly variable: string; readonly file: readonly string[] };
  /** The path from the folder of the settings file to the folder that shows that the host is installed. */
  readonly folder?: string;
};

const settingsLocations: Readonly<Record<HookHost['name'], HostSettingsLocation>> = {
  claude: {
    programs: ['claude'],
    project: ['.claude', 'settings.json'],
    override: { variable: 'CLAUDE_CONFIG_DIR', file: ['settings.json'] },
  },
  codex: {
    programs: ['codex'],
    project: ['.codex', 'hooks.json'],
    override: { variable: 'CODEX_HOME', file: ['hooks.json'] },
  },
  gemini: {
    programs: ['gemini'],
    project: ['.gemini', 'settings.json'],
    override: { variable: 'GEMINI_CLI_HOME', file: ['.gemini', 'settings.json'] },
  },
  qwen: {
    programs: ['qwen'],
    project: ['.qwen', 'settings.json'],
    override: { variable: 'QWEN_HOME', file: ['settings.json'] },
  },
  opencode: {
    programs: ['opencode'],
    project: ['.opencode', 'plugins', 'pawl.js'],
    user: ['.config', 'opencode', 'plugins', 'pawl.js'],
    override: { variable: 'XDG_CONFIG_HOME', file: ['opencode', 'plugins', 'pawl.js'] },
    folder: '..',
  },
  copilot: {
    programs: ['copilot'],
    project: ['.github', 'hooks', 'pawl.json'],
    user: ['.copilot', 'hooks', 'pawl.json'],
    override: { variable: 'COPILOT_HOME', file: ['hooks', 'pawl.json'] },
    folder: '..',
  },
  cursor: {
    programs: ['cursor', 'cursor-agent'],
    project: ['.cursor', 'hooks.json'],
  },
  cline: {
    programs: ['cline'],
    project: ['.cline', 'hooks', getClineHookName('PreToolUse', process.platform)],
    override: { variable: 'CLINE_DIR', file: ['hooks', getClineHookName('PreToolUse', process.platform)] },
    folder: '..',
  },
};

/** Returns the path of a host's hook settings: the user's for all projects, or those of one project. */
export function getSettingsPath(
  host: HookHost['name'],
  project: string | null,
  env: NodeJS.ProcessEnv = process.env,
): string {
  const { project: inProject, user = inProject, override } = settingsLocations[host];
  if (project !== null) return join(project, ...inProject);
  const folder = override === undefined ? '' : (env[override.variable] ?? '');
  return folder === '' || override === undefined ? join(homedir(), ...user) : join(folder, ...override.file);
}

/** Whether the host is installed for this user: its settings folder exists, or its program is on the search path. */
export function isHostInstalled(host: HookHost['name'], env: NodeJS.ProcessEnv = process.env): boolean {
  const { programs, folder = '.' } = settingsLocations[host];
  return (
    existsSync(join(dirname(getSettingsPath(host, null, env)), folder)) ||
    programs.some((program) => isProgramOnPath(program, env))
  );
}

function isProgramOnPath(program: string, env: NodeJS.ProcessEnv): boolean {
  const extensions = process.platform === 'win32' ? (env['PATHEXT'] ?? '.EXE;.CMD').split(';') : [''];
  return (env['PATH'] ?? '')
    .split(delimiter)
    .filter((folder) => folder !== '')
    .some((folder) => extensions.some((extension) => isExecutableFile(join(folder, program + extension))));
}

function isExecutableFile(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
