import { mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { addHookEntries, getSettingsPath, removeHookEntries, type JsonFields } from '@pawl/gateway/hook';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { installHostHook, removeHostHook } from '../../src/commands/hook/action.ts';
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
    expect(added.err()).toContain(`To be added to ${path}`);
    const after = JSON.parse(readFileSync(path, 'utf8')) as {
      readonly hooks: Readonly<Record<string, readonly { hooks: readonly { command: string }[] }[]>>;
    };
    expect(Object.keys(after.hooks)).toEqual([
      'PreToolUse',
      'UserPromptSubmit',
      'PostToolUse',
      'PostToolUseFailure',
      'SessionEnd',
    ]);
    expect(after.hooks['PreToolUse']?.[0]).toEqual(otherSettings.hooks.PreToolUse[0]);
    expect(after.hooks['PreToolUse']?.[1]?.hooks[0]?.command).toMatch(/pawl-hook\.cjs" claude$/);
    expect(await removeHostHook('claude', { project, yes: true }, captureIo().io)).toBe(0);
    expect(readFileSync(path, 'utf8')).toBe(before);
  });

  it.each(['claude', 'codex', 'gemini'])('installs %s idempotently', async (agent) => {
    const project = createTestFolder();
    await installHostHook(agent, { project, yes: true }, captureIo().io);
    const again = captureIo();
    await installHostHook(agent, { project, yes: true }, again.io);
    expect(again.out()).toContain('already');
    await installHostHook(agent, { project, yes: true, maxToolCalls: '50' }, captureIo().io);
    const path = getSettingsPath(agent as 'claude', project);
    const text = readFileSync(path, 'utf8');
    expect(text.match(/--max-tool-calls 50/g)?.length).toBe(text.match(/pawl-hook\.cjs/g)?.length);
    const removed = captureIo();
    await removeHostHook(agent, { project, yes: true, json: true }, removed.io);
    expect(JSON.parse(removed.out())).toEqual({ agent, path, changed: true });
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({});
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
    await expect(installHostHook('cursor', { yes: true }, captureIo().io)).rejects.toThrow(
      'claude, codex, gemini',
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
