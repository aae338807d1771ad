import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { getSettingsPath } from '@pawl/gateway/hook';
import { installHostHook, removeHostHook } from '../src/commands/hook/action.ts';
import { captureIo } from './capture-io.ts';

type ToolCall = { readonly tool: string; readonly sessionID: string; readonly callID: string };

/** What opencode calls. */
type OpencodeHooks = {
  event(input: { event: { type: string; properties: unknown } }): Promise<void>;
  'chat.message'(input: { sessionID: string }): Promise<void>;
  'chat.params'(input: { sessionID: string; agent: string; message: { agent: string } }): Promise<void>;
  'tool.execute.before'(input: ToolCall, output: { args: unknown }): Promise<void>;
  'tool.execute.after'(
    input: ToolCall & { args: unknown },
    output: { output: string; metadata: unknown } | { content: object[] },
  ): Promise<void>;
};

const args = { command: 'npm test' };

/** Installs the plugin in a project and loads it as opencode does. */
async function loadPlugin() {
  const project = mkdtempSync(join(tmpdir(), 'pawl-opencode-'));
  vi.stubEnv('XDG_DATA_HOME', join(project, 'data'));
  await installHostHook('opencode', { project, yes: true }, captureIo().io);
  const path = getSettingsPath('opencode', project);
  const aborted: string[] = [];
  const client = {
    session: { abort: ({ path: { id } }: { path: { id: string } }) => Promise.resolve(aborted.push(id)) },
  };
  const { PawlPlugin } = (await import(pathToFileURL(path).href)) as {
    PawlPlugin: (context: unknown) => Promise<OpencodeHooks>;
  };
  return { project, path, aborted, hooks: await PawlPlugin({ client }) };
}

describe('the opencode plugin', { timeout: 30_000 }, () => {
  afterEach(() => vi.unstubAllEnvs());

  it('adds advice to results, denies calls and aborts the session', async () => {
    const { hooks, aborted } = await loadPlugin();
    const call = { tool: 'bash', sessionID: 'main', callID: 'c' };
    const runCall = async (): Promise<string> => {
      await hooks['tool.execute.before'](call, { args });
      const result = { output: 'boom', metadata: { exit: 1 } };
      await hooks['tool.execute.after']({ ...call, args }, result);
      return result.output;
    };
    await hooks['chat.message']({ sessionID: 'main' });
    expect(await runCall()).toBe('boom');
    expect(await runCall()).toMatch(/^boom\n\n\[Note from the run’s governor.*failed 2 times/);
    await runCall();
    for (let count = 0; count < 2; count += 1) await expect(runCall()).rejects.toThrow(/Note from the run’s/);
    expect(aborted).toEqual([]);
    await expect(runCall()).rejects.toThrow('Pawl stopped the agent.');
    expect(aborted).toEqual(['main']);
    await hooks['chat.message']({ sessionID: 'main' });
    expect(await runCall()).toBe('boom');
  });

  it('aborts at the first call of the next reply, and not at parallel calls or after other requests', async () => {
    const { hooks, aborted } = await loadPlugin();
    const call = { tool: 'bash', sessionID: 'main', callID: 'c' };
    const requestModel = (agent = 'build') =>
      hooks['chat.params']({ sessionID: 'main', agent, message: { agent: 'build' } });
    const requestCall = () => hooks['tool.execute.before'](call, { args });
    await hooks['chat.message']({ sessionID: 'main' });
    let output = '';
    for (let count = 0; count < 4; count += 1) {
      await requestModel();
      await requestCall();
      const result = { output: 'as ever', metadata: { exit: 0 } };
      await hooks['tool.execute.after']({ ...call, args }, result);
      output = result.output;
    }
    expect(output).toContain('This work has come to its end');
    for (const agent of ['title', 'compaction', 'title']) {
      await expect(requestCall()).rejects.toThrow('Note from the run’s governor');
      await requestModel(agent);
    }
    expect(aborted).toEqual([]);
    await requestModel();
    await expect(requestCall()).rejects.toThrow('Pawl stopped the agent.');
    expect(aborted).toEqual(['main']);
  });

  it('adds advice to the results of MCP servers, which consist of parts', async () => {
    const { hooks } = await loadPlugin();
    const call = { tool: 'files_read', sessionID: 'main', callID: 'c', args };
    const results = Array.from({ length: 4 }, () => ({ content: [{ type: 'text', text: 'as ever' }] }));
    for (const result of results) await hooks['tool.execute.after'](call, result);
    expect(results[0]?.content).toHaveLength(1);
    expect(results[3]?.content).toEqual([
      { type: 'text', text: 'as ever' },
      { type: 'text', text: expect.stringContaining('This work has come to its end') as string },
    ]);
  });

  it('reports a tool that threw once, adds the advice to the next result, and separates sub-agents', async () => {
    const { hooks } = await loadPlugin();
    await hooks.event({
      event: { type: 'session.created', properties: { info: { id: 'child', parentID: 'main' } } },
    });
    const fail = (callID: string) => {
      const part = {
        type: 'tool',
        tool: 'read',
        callID,
        sessionID: 'child',
        state: { status: 'error', input: { filePath: 'x' }, error: 'File not found' },
      };
      return hooks.event({ event: { type: 'message.part.updated', properties: { part } } });
    };
    for (const callID of ['1', '1', '1', '2']) await fail(callID);
    const result = { output: 'fine', metadata: {} };
    await hooks['tool.execute.after'](
      { tool: 'glob', sessionID: 'child', callID: '3', args: { pattern: '*' } },
      result,
    );
    expect(result.output).toMatch(/^fine\n\n\[Note .* failed 2 times/);
    await hooks['tool.execute.before']({ tool: 'read', sessionID: 'main', callID: '4' }, { args });
  });

  it('lets the agent continue if the hook fails', async () => {
    const { hooks, path } = await loadPlugin();
    vi.stubEnv('XDG_DATA_HOME', path);
    const result = { output: 'fine', metadata: {} };
    const call = { tool: 'bash', sessionID: 's', callID: 'c' };
    await hooks['tool.execute.before'](call, { args });
    await hooks['tool.execute.after']({ ...call, args }, result);
    expect(result.output).toBe('fine');
  });

  it('is deleted on removal, and never replaces a file of another author', async () => {
    const { project, path } = await loadPlugin();
    const again = captureIo();
    await installHostHook('opencode', { project, yes: true }, again.io);
    expect(again.out()).toContain('already');
    const removed = captureIo();
    await removeHostHook('opencode', { project, yes: true }, removed.io);
    expect(removed.out()).toContain('Deleted');
    writeFileSync(path, 'export const Mine = 1;\n');
    await expect(installHostHook('opencode', { project, yes: true }, captureIo().io)).rejects.toThrow(
      'not a plugin of pawl',
    );
  });
});
