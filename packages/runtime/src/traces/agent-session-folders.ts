import { constants } from 'node:fs';
import { access, readdir, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import type { PlatformPath } from 'node:path';
import { getPlatformPaths } from '../platform/platform.ts';

/** Where a coding agent stores its sessions: a folder, or a database file. */
export type AgentSessionLocation = {
  readonly agent: string;
  readonly path: string;
  /** Only these subfolders of each folder in it contain sessions. */
  readonly subfolder?: string;
};

/** A location that exists on this machine. */
export type AgentSessionFolder = AgentSessionLocation & {
  /** The paths to read; none if the folder cannot be read. */
  readonly sources: readonly string[];
  readonly isReadable: boolean;
};

/** The facts about a machine that decide where agents store their sessions. */
export type SessionEnvironment = {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly platform: NodeJS.Platform;
};

/** Finds the folders in which the coding agents on this machine store their sessions. Reads no session. */
export async function findAgentSessionFolders(
  environment: SessionEnvironment = getSessionEnvironment(),
): Promise<readonly AgentSessionFolder[]> {
  const found: AgentSessionFolder[] = [];
  for (const location of listAgentSessionLocations(environment)) {
    if (!(await isExisting(location.path))) continue;
    const sources = await listSessionSources(location, getPlatformPaths(environment.platform));
    found.push({ ...location, sources: sources ?? [], isReadable: sources !== null });
  }
  return found;
}

function getSessionEnvironment(): SessionEnvironment {
  return { env: process.env, home: homedir(), platform: process.platform };
}

/** Lists where the supported agents store their sessions on a machine, whether or not they are installed. */
export function listAgentSessionLocations(
  environment: SessionEnvironment = getSessionEnvironment(),
): readonly AgentSessionLocation[] {
  const { env, home, platform } = environment;
  const paths = getPlatformPaths(platform);
  const override = (name: string, fallback: string): string => {
    const value = env[name] ?? '';
    return value === '' ? fallback : value;
  };
  const base = (name: string, ...fallback: readonly string[]): string =>
    override(name, paths.join(home, ...fallback));
  const codex = base('CODEX_HOME', '.codex');
  const opencode = paths.join(base('XDG_DATA_HOME', '.local', 'share'), 'opencode');
  const qwen = override('QWEN_RUNTIME_DIR', base('QWEN_HOME', '.qwen'));
  const copilot = base('COPILOT_HOME', '.copilot');
  const cline = override('CLINE_DATA_DIR', paths.join(base('CLINE_DIR', '.cline'), 'data'));
  return [
    { agent: 'Claude Code', path: paths.join(base('CLAUDE_CONFIG_DIR', '.claude'), 'projects') },
    { agent: 'Codex', path: paths.join(codex, 'sessions') },
    { agent: 'Codex', path: paths.join(codex, 'archived_sessions') },
    { agent: 'Gemini CLI', path: paths.join(base('GEMINI_CLI_HOME'), '.gemini', 'tmp'), subfolder: 'chats' },
    // A session in both is read from the database, which is newer.
    { agent: 'opencode', path: override('OPENCODE_DB', paths.join(opencode, 'opencode.db')) },
    { agent: 'opencode', path: paths.join(opencode, 'storage') },
    { agent: 'Qwen Code', path: paths.join(qwen, 'projects') },
    { agent: 'Qwen Code', path: paths.join(qwen, 'tmp'), subfolder: 'chats' },
    { agent: 'Cline', path: override('CLINE_SESSION_DATA_DIR', paths.join(cline, 'sessions')) },
    { agent: 'Cline', path: paths.join(cline, 'tasks') },
    ...listEditorFolders(environment).map((folder) => ({
      agent: 'Cline',
      path: paths.join(folder, 'User', 'globalStorage', 'saoudrizwan.claude-dev', 'tasks'),
    })),
    // A session in several places is read from the databases, which have the results of calls.
    { agent: 'Cursor', path: paths.join(home, '.cursor', 'chats') },
    ...listEditorFolders(environment, ['Cursor'], ['.cursor-server']).map((folder) => ({
      agent: 'Cursor',
      path: paths.join(folder, 'User', 'globalStorage', 'state.vscdb'),
    })),
    { agent: 'Cursor', path: paths.join(home, '.cursor', 'projects'), subfolder: 'agent-transcripts' },
    { agent: 'GitHub Copilot CLI', path: paths.join(copilot, 'session-state') },
    { agent: 'GitHub Copilot CLI', path: paths.join(copilot, 'history-session-state') },
    { agent: 'Continue', path: paths.join(base('CONTINUE_GLOBAL_DIR', '.continue'), 'sessions') },
  ];
}

/** The editors that run the extension, as their data folders are named. */
const editorNames = ['Code', 'Code - Insiders', 'VSCodium', 'Cursor', 'Windsurf'];

/** The folders of their servers on remote machines. */
const serverNames = ['.vscode-server', '.cursor-server'];

/** Lists the data folders of editors, and of their servers on remote machines. */
function listEditorFolders(
  { env, home, platform }: SessionEnvironment,
  editors = editorNames,
  servers = serverNames,
): readonly string[] {
  const paths = getPlatformPaths(platform);
  if (platform === 'darwin')
    return editors.map((name) => paths.join(home, 'Library', 'Application Support', name));
  if (platform === 'win32') {
    const roaming = env['APPDATA'] ?? '';
    const folder = roaming === '' ? paths.join(home, 'AppData', 'Roaming') : roaming;
    return editors.map((name) => paths.join(folder, name));
  }
  const config = env['XDG_CONFIG_HOME'] ?? '';
  const folder = config === '' ? paths.join(home, '.config') : config;
  return [
    ...editors.map((name) => paths.join(folder, name)),
    ...servers.map((name) => paths.join(home, name, 'data')),
  ];
}

async function isExisting(path: string): Promise<boolean> {
  return stat(path).then(
    (stats) => stats.isDirectory() || stats.isFile(),
    () => false,
  );
}

/** Returns null if the location cannot be read. */
async function listSessionSources(
  { path, subfolder }: AgentSessionLocation,
  paths: PlatformPath,
): Promise<readonly string[] | null> {
  try {
    await access(path, constants.R_OK);
    if ((await stat(path)).isFile()) return [path];
    const names = await readdir(path);
    if (subfolder === undefined) return [path];
    const candidates = names.toSorted().map((name) => paths.join(path, name, subfolder));
    const isFolder = await Promise.all(candidates.map(isExisting));
    return candidates.filter((_, index) => isFolder[index]);
  } catch {
    return null;
  }
}
