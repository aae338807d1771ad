import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  addHookEntries,
  answerHook,
  getHooksFile,
  getSettingsPath,
  hookHosts,
  openHookStateStore,
  removeHookEntries,
  type JsonFields,
} from '@pawl/gateway/hook';
import * as fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  installDetectedHooks,
  installHostHook,
  removeHostHook,
  showHookStatus,
} from '../../src/commands/hook/action.ts';
import { captureTerminalIo, captureIo } from '../capture-io.ts';

const createTestFolder = (): string => mkdtempSync(join(tmpdir(), 'pawl-install-'));

const otherSettings = {
  model: 'opus',
  hooks: { PreToolUse: [{ matcher: 'Bash', hooks: [{ type: 'command', command: 'mine.sh' }] }] },
};

describe('pawl hook install and remove', () => {
  it('adds its entries after existing ones, and removes only its own', async () => {
    const project = createTestFolder();
    const path = join(project, '.claude', 'settings.json');
    mkdirSync(join(project, '.claude'));
    const before = `${JSON.stringify(otherSettings, null, 4)}\n`;
    writeFileSync(path, before);
    const added = captureIo();
    expect(await installHostHook('claude', { project, yes: true }, added.io)).toBe(0);
    expect(added.err()).toContain(`Claude Code: to be added to ${path}`);
    const after = JSON.parse(readFileSync(path, 'utf8')) as {
      readonly hooks: Readonly<Record<string, readonly { hooks: readonly { command: string }[] }[]>>;
    };
    expect(Object.keys(after.hooks)).toEqual([
      'PreToolUse',
      'UserPromptSubmit',
      'PostToolUse',
      'PostToolUseFailure',
      'PostToolBatch',
      'SessionEnd',
    ]);
    expect(after.hooks['PreToolUse']?.[0]).toEqual(otherSettings.hooks.PreToolUse[0]);
    expect(after.hooks['PreToolUse']?.[1]?.hooks[0]?.command).toMatch(/pawl-hook\.cjs" claude$/);
    expect(await removeHostHook('claude', { project, yes: true }, captureIo().io)).toBe(0);
    expect(readFileSync(path, 'utf8')).toBe(before);
  });

  it.each(['claude', 'codex', 'gemini', 'qwen', 'opencode', 'copilot', 'cursor', 'cline'])(
    'installs %s idempotently',
    async (agent) => {
      const project = createTestFolder();
      await installHostHook(agent, { project, yes: true }, captureIo().io);
      const again = captureIo();
      await installHostHook(agent, { project, yes: true }, again.io);
      expect(again.out()).toContain('already');
      await installHostHook(agent, { project, yes: true, maxToolCalls: '50' }, captureIo().io);
      const path = getSettingsPath(agent as 'claude', project);
      const text = readFileSync(path, 'utf8');
      expect(text.match(/--max-tool-calls(?: |",")50/g)?.length).toBe(text.match(/pawl-hook\.cjs/g)?.length);
      const removed = captureIo();
      await removeHostHook(agent, { project, yes: true, json: true }, removed.io);
      expect(JSON.parse(removed.out())).toEqual({ agent, path, changed: true });
      expect(existsSync(path)).toBe(false);
    },
  );

  it('adds entries of Cursor beside those of others, and restores the file', async () => {
    const project = createTestFolder();
    const path = getSettingsPath('cursor', project);
    mkdirSync(join(project, '.cursor'));
    const others = { stop: [{ command: 'mine.sh', loop_limit: 3 }], preToolUse: [{ command: 'gate.sh' }] };
    const before = JSON.stringify({ version: 1, hooks: others }, null, 2);
    writeFileSync(path, before);
    await installHostHook('cursor', { project, yes: true }, captureIo().io);
    const { version, hooks } = JSON.parse(readFileSync(path, 'utf8')) as {
      readonly version: number;
      readonly hooks: Readonly<Record<string, readonly { command: string; timeout?: number }[]>>;
    };
    expect(version).toBe(1);
    expect(hooks['stop']).toEqual(others.stop);
    expect(hooks['preToolUse']?.[0]).toEqual(others.preToolUse[0]);
    expect(hooks['preToolUse']?.[1]).toEqual({
      command: expect.stringMatching(/pawl-hook\.cjs" cursor$/) as string,
      timeout: 10,
    });
    writeFileSync(path, readFileSync(path, 'utf8').replace('mine.sh', 'yours.sh'));
    await removeHostHook('cursor', { project, yes: true }, captureIo().io);
    expect(readFileSync(path, 'utf8')).toBe(before.replace('mine.sh', 'yours.sh'));
    writeFileSync(path, before);
    await installHostHook('cursor', { project, yes: true }, captureIo().io);
    await removeHostHook('cursor', { project, yes: true }, captureIo().io);
    expect(readFileSync(path, 'utf8')).toBe(before);
  });

  it('installs a script for each event of Cline, and replaces none of another author', async () => {
    const project = createTestFolder();
    const path = getSettingsPath('cline', project);
    const after = path.replace('PreToolUse', 'PostToolUse');
    mkdirSync(join(project, '.cline', 'hooks'), { recursive: true });
    writeFileSync(after, 'echo mine\n');
    await expect(installHostHook('cline', { project, yes: true }, captureIo().io)).rejects.toThrow(
      `${after} is not a hook of pawl`,
    );
    expect(existsSync(path)).toBe(false);
    rmSync(after);
    await installHostHook('cline', { project, yes: true }, captureIo().io);
    expect(readFileSync(after, 'utf8')).toBe(readFileSync(path, 'utf8'));
    rmSync(after);
    const status = captureIo();
    showHookStatus({ project, json: true }, status.io);
    const { agents } = JSON.parse(status.out()) as {
      readonly agents: readonly { readonly agent: string; readonly settings: readonly unknown[] }[];
    };
    expect(agents.find(({ agent }) => agent === 'cline')?.settings).toEqual([]);
    await removeHostHook('cline', { project, yes: true }, captureIo().io);
    expect(existsSync(path)).toBe(false);
  });

  it('writes nothing without confirmation', async () => {
    const project = createTestFolder();
    const no = captureTerminalIo('n');
    await installHostHook('gemini', { project }, no.io);
    expect(no.err()).toContain('Nothing was changed.');
    await expect(installHostHook('gemini', { project }, captureIo().io)).rejects.toThrow('--yes');
    const yes = captureTerminalIo('y');
    await installHostHook('gemini', { project }, yes.io);
    expect(readFileSync(join(project, '.gemini', 'settings.json'), 'utf8')).toContain('BeforeToolSelection');
  });

  it('does not change an unreadable file, and reports one clear error', async () => {
    const project = createTestFolder();
    mkdirSync(join(project, '.gemini'));
    const path = join(project, '.gemini', 'settings.json');
    for (const text of ['{ // mine\n "a": 1 }', '[1]', '"x"']) {
      writeFileSync(path, text);
      await expect(installHostHook('gemini', { project, yes: true }, captureIo().io)).rejects.toThrow(path);
      expect(readFileSync(path, 'utf8')).toBe(text);
    }
    await expect(installHostHook('cursr', { yes: true }, captureIo().io)).rejects.toThrow(
      'claude, codex, gemini, qwen, opencode, copilot, cursor, cline',
    );
  });

  it('writes through a symbolic link and keeps it', { tags: ['unix'] }, async () => {
    const project = createTestFolder();
    const real = join(createTestFolder(), 'dotfile.json');
    writeFileSync(real, '{}');
    mkdirSync(join(project, '.codex'));
    symlinkSync(real, join(project, '.codex', 'hooks.json'));
    await installHostHook('codex', { project, yes: true }, captureIo().io);
    expect(readFileSync(real, 'utf8')).toContain('pawl-hook.cjs');
  });

  it('restores any settings unchanged', () => {
    const hooks = fc.dictionary(fc.string({ minLength: 1 }), fc.array(fc.jsonValue(), { minLength: 1 }));
    const settings = fc.record({ hooks: fc.option(hooks, { nil: undefined }), other: fc.jsonValue() });
    fc.assert(
      fc.property(settings, (input) => {
        const before = JSON.parse(JSON.stringify(input)) as JsonFields;
        const isEmpty = JSON.stringify(before['hooks']) === '{}';
        const installed = addHookEntries(before, 'claude', '"node" "/x/pawl-hook.js" claude');
        const { hooks: _, ...rest } = before;
        expect(removeHookEntries(installed, 'claude')).toEqual(isEmpty ? rest : before);
      }),
    );
  });

  it('uses the configured settings folder of each agent', () => {
    expect(getSettingsPath('claude', null, { CLAUDE_CONFIG_DIR: '/c' })).toBe('/c/settings.json');
    expect(getSettingsPath('codex', null, { CODEX_HOME: '/x' })).toBe('/x/hooks.json');
    expect(getSettingsPath('gemini', null, { GEMINI_CLI_HOME: '/g' })).toBe('/g/.gemini/settings.json');
    expect(getSettingsPath('codex', null, {})).toMatch(/[\\/]\.codex[\\/]hooks\.json$/);
  });
});

const oddSettings = [
  '{"model":"opus"}',
  '{ "model" : "opus",\r\n\t"list": [1,2,\r\n3] }\r\n\r\n',
  '\uFEFF{\n   "env": {"TOKEN": "t\\u00e9"}\n}',
  '  {}  ',
  '',
  '{"hooks":{}}',
  '{"hooks":{"PreToolUse":[]},\n"hooks2":null}',
];

describe('pawl hook remove', () => {
  it.each(oddSettings)('restores %j byte for byte', async (text) => {
    const project = createTestFolder();
    mkdirSync(join(project, '.gemini'));
    const path = join(project, '.gemini', 'settings.json');
    writeFileSync(path, text);
    await installHostHook('gemini', { project, yes: true }, captureIo().io);
    await installHostHook('gemini', { project, yes: true, maxToolCalls: '9' }, captureIo().io);
    expect(readFileSync(path, 'utf8')).toContain('--max-tool-calls 9');
    const removed = captureIo();
    await removeHostHook('gemini', { project, yes: true }, removed.io);
    expect(removed.out()).toContain('as it was before');
    expect(readFileSync(path, 'utf8')).toBe(text);
  });

  it('keeps what was changed since, and the formatting', async () => {
    const project = createTestFolder();
    mkdirSync(join(project, '.claude'));
    const path = join(project, '.claude', 'settings.json');
    writeFileSync(path, '{\r\n\t"model": "opus"\r\n}');
    await installHostHook('claude', { project, yes: true }, captureIo().io);
    writeFileSync(path, readFileSync(path, 'utf8').replace('opus', 'sonnet'));
    const removed = captureIo();
    await removeHostHook('claude', { project, yes: true }, removed.io);
    expect(removed.out()).toContain('Removed the hooks of pawl');
    expect(readFileSync(path, 'utf8')).toBe('{\r\n\t"model": "sonnet"\r\n}');
  });

  it('deletes a file that it created even if another program added and removed something', async () => {
    const project = createTestFolder();
    await installHostHook('codex', { project, yes: true }, captureIo().io);
    const path = getSettingsPath('codex', project);
    writeFileSync(path, JSON.stringify(JSON.parse(readFileSync(path, 'utf8'))));
    await removeHostHook('codex', { project, yes: true }, captureIo().io);
    expect(existsSync(path)).toBe(false);
  });

  it('removes the entries of an installation without a record', async () => {
    const project = createTestFolder();
    const path = getSettingsPath('claude', project);
    mkdirSync(join(project, '.claude'));
    const installed = addHookEntries({ model: 'opus' }, 'claude', '"node" "/x/bin/pawl-hook.js" claude');
    writeFileSync(path, `${JSON.stringify(installed, null, 2)}\n`);
    await removeHostHook('claude', { project, yes: true }, captureIo().io);
    expect(readFileSync(path, 'utf8')).toBe('{\n  "model": "opus"\n}\n');
  });

  it('never replaces a hook file of another author', async () => {
    const project = createTestFolder();
    const path = getSettingsPath('copilot', project);
    mkdirSync(join(project, '.github', 'hooks'), { recursive: true });
    for (const text of [
      '{"version":1,"hooks":{"preToolUse":[{"type":"command","bash":"mine.sh"}]}}',
      '{"version":1,"hooks":{"preToolUse":7}}',
      '{"version":1}',
    ]) {
      writeFileSync(path, text);
      await expect(installHostHook('copilot', { project, yes: true }, captureIo().io)).rejects.toThrow(
        'hooks of others',
      );
      expect(readFileSync(path, 'utf8')).toBe(text);
    }
  });

  it('reports a file that cannot be written with one clear error', { tags: ['unix'] }, async () => {
    const project = createTestFolder();
    symlinkSync(join(project, 'missing', 'file.json'), join(project, '.codex'));
    await expect(installHostHook('codex', { project, yes: true }, captureIo().io)).rejects.toThrow(
      'cannot be written',
    );
  });
});

/** A home folder in which these agents have a settings folder or a program. */
function createTestHome({ folders = [], programs = [] }: Partial<Record<string, readonly string[]>>): string {
  const home = createTestFolder();
  mkdirSync(join(home, 'bin'));
  for (const folder of folders) mkdirSync(join(home, folder), { recursive: true });
  for (const program of programs) {
    const path = join(home, 'bin', process.platform === 'win32' ? `${program}.cmd` : program);
    writeFileSync(path, '');
    chmodSync(path, 0o755);
  }
  vi.stubEnv('HOME', home);
  vi.stubEnv('USERPROFILE', home);
  vi.stubEnv('PATH', join(home, 'bin'));
  vi.stubEnv('XDG_DATA_HOME', join(home, 'data'));
  vi.stubEnv('XDG_CONFIG_HOME', join(home, 'config'));
  for (const name of ['CLAUDE_CONFIG_DIR', 'CODEX_HOME', 'GEMINI_CLI_HOME']) vi.stubEnv(name, '');
  return home;
}

describe('pawl hook install without an agent', () => {
  afterEach(() => vi.unstubAllEnvs());

  it('installs in every agent that has a settings folder or a program, asking for each', async () => {
    const home = createTestHome({ folders: ['.claude'], programs: ['codex'] });
    const no = captureTerminalIo('n');
    expect(await installDetectedHooks({}, no.io)).toBe(0);
    expect(no.err()).toContain('Change the settings of Claude Code?');
    expect(no.err()).toContain('Change the settings of Codex?');
    expect(no.err()).not.toContain('Gemini');
    expect(existsSync(join(home, '.codex'))).toBe(false);
    const yes = captureIo();
    expect(await installDetectedHooks({ yes: true, json: true }, yes.io)).toBe(0);
    expect(JSON.parse(yes.out())).toEqual({
      agents: [
        { agent: 'claude', path: join(home, '.claude', 'settings.json'), changed: true },
        { agent: 'codex', path: join(home, '.codex', 'hooks.json'), changed: true },
      ],
    });
    await expect(installDetectedHooks({}, captureIo().io)).resolves.toBe(0);
  });

  it('continues after an agent whose settings it cannot read', async () => {
    const home = createTestHome({ folders: ['.claude', '.gemini'] });
    writeFileSync(join(home, '.claude', 'settings.json'), '{ // mine\n}');
    const { io, out, err } = captureIo();
    expect(await installDetectedHooks({ yes: true, json: true }, io)).toBe(1);
    expect(JSON.parse(out())).toMatchObject({
      agents: [
        { agent: 'claude', error: expect.stringContaining('not plain JSON') as string },
        { agent: 'gemini', changed: true },
      ],
    });
    expect(err()).toContain('settings.json is not plain JSON');
  });

  it('names the supported agents if it finds none', async () => {
    createTestHome({});
    const { io, err } = captureIo();
    expect(await installDetectedHooks({ yes: true }, io)).toBe(0);
    expect(err()).toContain('Found no coding agent. Supported: Claude Code, Codex');
  });
});

describe('pawl hook status', () => {
  afterEach(() => vi.unstubAllEnvs());

  it('shows for each agent whether it is governed, and what the governor did this week', async () => {
    const home = createTestHome({ folders: ['.claude', '.gemini'] });
    await installHostHook('claude', { yes: true }, captureIo().io);
    let now = Date.now() - 8 * 24 * 3_600_000;
    const states = openHookStateStore(getHooksFile(), () => now);
    const host = hookHosts.find(({ name }) => name === 'claude');
    if (host === undefined) throw new Error('claude is missing');
    const answer = (event: string, session_id: string) =>
      answerHook(
        host,
        JSON.stringify({
          session_id,
          hook_event_name: event,
          tool_name: 'Bash',
          tool_input: {},
          error: 'no',
        }),
        { states, now: () => now, callsMax: null },
      );
    for (const session of ['old', 'new']) {
      for (let count = 0; count < 3; count += 1) answer('PostToolUseFailure', session);
      for (let count = 0; count < 6; count += 1) {
        answer('PreToolUse', session);
        answer('PostToolBatch', session);
      }
      now = Date.now();
    }
    states.close();
    const { io, out } = captureIo();
    expect(showHookStatus({ project: createTestFolder(), json: true }, io)).toBe(0);
    const { agents } = JSON.parse(out()) as { readonly agents: readonly { readonly agent: string }[] };
    expect(agents.find(({ agent }) => agent === 'claude')).toEqual({
      agent: 'claude',
      title: 'Claude Code',
      isDetected: true,
      isGoverned: true,
      settings: [
        {
          scope: 'user',
          path: join(home, '.claude', 'settings.json'),
          command: expect.stringContaining('pawl-hook.cjs') as string,
          commandExists: true,
        },
      ],
      week: { sessions: 1, advice: 2, denials: 5, stops: 1 },
    });
    const text = captureIo();
    showHookStatus({ project: createTestFolder() }, text.io);
    expect(text.out()).toContain('Claude Code: governed\n');
    expect(text.out()).toContain('  last 7 days: sessions 1, advice 2, denials 5, stops 1\n');
    expect(text.out()).toContain('Codex: not installed\n');
    expect(text.out()).toContain('Gemini CLI: not governed. To govern it: pawl hook install gemini\n');
  });

  it('reports a command that no longer exists, and creates no files', () => {
    const home = createTestHome({ folders: ['.claude'] });
    const installed = addHookEntries({}, 'claude', '"/gone/node" "/gone/pawl-hook.cjs" claude');
    writeFileSync(join(home, '.claude', 'settings.json'), JSON.stringify(installed));
    const { io, out } = captureIo();
    showHookStatus({ project: home }, io);
    expect(out()).toContain('not governed: the installed command no longer exists');
    expect(out()).toContain('pawl-hook.cjs" claude (missing)');
    expect(existsSync(getHooksFile())).toBe(false);
    rmSync(home, { recursive: true });
  });
});
