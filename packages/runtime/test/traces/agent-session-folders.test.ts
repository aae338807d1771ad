import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  findAgentSessionFolders,
  listAgentSessionLocations,
  type SessionEnvironment,
} from '../../src/traces/agent-session-folders.ts';

let home = '';
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'pawl home Żółć 雨 '));
});
afterEach(() => rm(home, { recursive: true }));

function createEnvironment(env: SessionEnvironment['env'] = {}): SessionEnvironment {
  return { env, home, platform: process.platform };
}

describe('the session folders of coding agents', () => {
  it.each([
    ['linux', '/h/.config/Code/User/globalStorage/saoudrizwan.claude-dev/tasks'],
    ['linux', '/h/.vscode-server/data/User/globalStorage/saoudrizwan.claude-dev/tasks'],
    ['darwin', '/h/Library/Application Support/Cursor/User/globalStorage/saoudrizwan.claude-dev/tasks'],
    ['win32', '\\h\\AppData\\Roaming\\VSCodium\\User\\globalStorage\\saoudrizwan.claude-dev\\tasks'],
    ['linux', '/h/.claude/projects'],
    ['win32', '\\h\\.claude\\projects'],
    ['linux', '/h/.codex/archived_sessions'],
    ['darwin', '/h/.gemini/tmp'],
    ['linux', '/h/.local/share/opencode/storage'],
    ['linux', '/h/.local/share/opencode/opencode.db'],
    ['linux', '/h/.qwen/projects'],
    ['linux', '/h/.cline/data/sessions'],
    ['linux', '/h/.cline/data/tasks'],
    ['linux', '/h/.continue/sessions'],
    ['linux', '/h/.cursor/chats'],
    ['linux', '/h/.cursor/projects'],
    ['linux', '/h/.config/Cursor/User/globalStorage/state.vscdb'],
    ['linux', '/h/.cursor-server/data/User/globalStorage/state.vscdb'],
    ['darwin', '/h/Library/Application Support/Cursor/User/globalStorage/state.vscdb'],
    ['win32', '\\h\\AppData\\Roaming\\Cursor\\User\\globalStorage\\state.vscdb'],
    ['linux', '/h/.copilot/session-state'],
    ['linux', '/h/.copilot/history-session-state'],
  ] as const)('include on %s %s', (platform, path) => {
    const locations = listAgentSessionLocations({ env: {}, home: '/h', platform });
    expect(locations.map((location) => location.path)).toContain(path);
  });

  it.each([
    ['CLAUDE_CONFIG_DIR', '/c', 'Claude Code', '/c/projects'],
    ['CODEX_HOME', '/c', 'Codex', '/c/sessions'],
    ['XDG_DATA_HOME', '/d', 'opencode', '/d/opencode/opencode.db'],
    ['OPENCODE_DB', '/d/o.db', 'opencode', '/d/o.db'],
    ['GEMINI_CLI_HOME', '/d', 'Gemini CLI', '/d/.gemini/tmp'],
    ['QWEN_HOME', '/d', 'Qwen Code', '/d/projects'],
    ['QWEN_RUNTIME_DIR', '/d', 'Qwen Code', '/d/projects'],
    ['CLINE_DIR', '/d', 'Cline', '/d/data/sessions'],
    ['CLINE_DATA_DIR', '/d', 'Cline', '/d/sessions'],
    ['CLINE_SESSION_DATA_DIR', '/d', 'Cline', '/d'],
    ['COPILOT_HOME', '/c', 'GitHub Copilot CLI', '/c/session-state'],
    ['CONTINUE_GLOBAL_DIR', '/c', 'Continue', '/c/sessions'],
  ])('follow the variable %s', (name, value, agent, path) => {
    const locations = listAgentSessionLocations({ env: { [name]: value }, home: '/h', platform: 'linux' });
    expect(locations.filter((each) => each.agent === agent)[0]?.path).toBe(path);
  });

  it('ignore a variable that is empty', () => {
    const env = { CODEX_HOME: '', CLAUDE_CONFIG_DIR: '', XDG_CONFIG_HOME: '' };
    expect(listAgentSessionLocations({ env, home: '/h', platform: 'linux' })).toEqual(
      listAgentSessionLocations({ env: {}, home: '/h', platform: 'linux' }),
    );
  });

  it('are found if they exist, in a home folder with spaces and non-ASCII letters', async () => {
    await mkdir(join(home, '.claude', 'projects'), { recursive: true });
    await mkdir(join(home, '.codex', 'sessions'), { recursive: true });
    await mkdir(join(home, '.codex', 'log'));
    expect(await findAgentSessionFolders(createEnvironment())).toEqual(
      [
        ['Claude Code', join(home, '.claude', 'projects')] as const,
        ['Codex', join(home, '.codex', 'sessions')] as const,
      ].map(([agent, path]) => ({ agent, path, sources: [path], isReadable: true })),
    );
  });

  it('are none on a machine without agents', async () => {
    expect(await findAgentSessionFolders(createEnvironment())).toEqual([]);
  });

  it('are read only where they contain sessions', async () => {
    const tmp = join(home, '.gemini', 'tmp');
    await mkdir(join(tmp, 'b', 'chats'), { recursive: true });
    await mkdir(join(tmp, 'a', 'chats'), { recursive: true });
    await mkdir(join(tmp, 'c', 'logs'), { recursive: true });
    await writeFile(join(tmp, 'installation_id'), 'x');
    expect(await findAgentSessionFolders(createEnvironment())).toEqual([
      {
        agent: 'Gemini CLI',
        path: tmp,
        subfolder: 'chats',
        sources: [join(tmp, 'a', 'chats'), join(tmp, 'b', 'chats')],
        isReadable: true,
      },
    ]);
  });

  it('may be a database file', async () => {
    const path = join(home, '.local', 'share', 'opencode', 'opencode.db');
    await mkdir(join(path, '..'), { recursive: true });
    await writeFile(path, 'SQLite format 3\0');
    expect(await findAgentSessionFolders(createEnvironment())).toMatchObject([
      { agent: 'opencode', sources: [path] },
    ]);
  });
});
