import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { connectMcpServers } from '../../src/mcp/connect-mcp.ts';
import { isServerName, qualifyToolName } from '../../src/mcp/mcp-server.ts';
import { createFixtureServer, callMcpTool, createMcpTestServer } from './mcp-test-server.ts';
import { codePoint } from '../../../core/test/helpers/code-point.ts';

const { folder, behave } = createMcpTestServer();

describe('the tools of a server', () => {
  it('are limited in number, and the rest is reported', async () => {
    const connection = await behave('many-tools');
    expect(connection.tools).toHaveLength(256);
    expect(connection.problems).toEqual(['bad offers more than 256 tools; the others are skipped.']);
  });

  it('are read page by page up to a number of pages', async () => {
    expect((await behave('endless-pages', { limits: { pages: 5 } })).tools).toHaveLength(5);
    const enough = await behave('endless-pages', { limits: { pages: 1_000, tools: 7 } });
    expect(enough.tools).toHaveLength(7);
    expect(enough.problems).toHaveLength(1);
  });

  it('are not read in a loop when cursors repeat', async () => {
    const connection = await behave('same-page');
    expect(connection.tools).toHaveLength(1);
  });

  it('get distinct names that every provider accepts', async () => {
    const connection = await behave('odd-names');
    const names = connection.tools.map((tool) => tool.description.name);
    expect(names.slice(0, 2)).toEqual(['bad____proto__', 'bad__constructor']);
    expect(names).toHaveLength(9);
    expect(new Set(names).size).toBe(9);
    for (const name of names) expect(name).toMatch(/^bad__[\w-]{1,59}$/);
    expect(await callMcpTool(connection, 'bad____proto__', { text: 'hi' })).toMatchObject({
      ok: true,
      output: expect.stringContaining('__proto__: hi'),
    });
    expect(connection.problems).toEqual([
      'bad__echo is listed twice; the second one is skipped.',
      'Skipped a tool of bad (): its description does not follow the protocol.',
      'Skipped a tool of bad (no-schema): its description does not follow the protocol.',
      'Skipped a tool of bad (without a name): its description does not follow the protocol.',
    ]);
  });

  it('are skipped when their schemas are malicious, and the others stay', async () => {
    const connection = await behave('odd-schemas');
    expect(connection.problems).toEqual([
      'Skipped a tool of bad (deep): it is nested too deeply.',
      'Skipped a tool of bad (remote): its parameter schema refers to another document.',
      expect.stringMatching(/^Skipped a tool of bad \(large\): its parameter schema has \d+ characters\.$/),
      'Skipped a tool of bad (text): its description does not follow the protocol.',
    ]);
    expect(connection.tools.map((tool) => tool.description.name)).toEqual(['bad__slow', 'bad__hidden']);
    // The answer does not fit the schema of the tool's output, which would take hours to check.
    expect(await callMcpTool(connection, 'bad__slow', { a: `${'a'.repeat(40)}!` })).toMatchObject({
      ok: true,
    });
  });

  it('have descriptions without invisible characters and of limited length', async () => {
    const connection = await behave('odd-schemas');
    const hidden = connection.tools.at(-1)?.description.description ?? '';
    expect(hidden).toMatch(/^Reads\.\\u200b\\u202e\\u001b\[2J\\u\{e0041\}\n⚠️ yyy/);
    expect(hidden).toHaveLength(4_000);
  });
});

describe('several servers', () => {
  it('are connected in parallel, and a failure affects only one of them', async () => {
    const good = createFixtureServer('good', folder);
    const { connections, failures } = await connectMcpServers([
      { ...good, name: 'one' },
      { ...createFixtureServer('dies-at-once', folder), name: 'two' },
      { ...good, name: 'three' },
    ]);
    expect(connections.map(({ name }) => name)).toEqual(['one', 'three']);
    expect(failures.map(({ message }) => message)).toEqual([
      expect.stringContaining('The MCP server two did not start.'),
    ]);
    await Promise.all(connections.map((each) => each.close()));
  });

  it('cannot share a name', async () => {
    const good = createFixtureServer('good', folder);
    await expect(connectMcpServers([good, good])).rejects.toThrow(
      'The MCP server "bad" is configured twice.',
    );
  });
});

describe('qualifyToolName', () => {
  const server = fc.stringMatching(/^[a-z0-9]{1,32}$/);
  const tool = fc.oneof(fc.string({ minLength: 1, unit: codePoint }), fc.stringMatching(/^[\w-]{1,80}$/));

  it('always returns a name that providers accept', () => {
    fc.assert(fc.property(server, tool, (name, each) => /^[\w-]{1,64}$/.test(qualifyToolName(name, each))));
  });

  it('returns different names for different tools', () => {
    fc.assert(
      fc.property(
        server,
        tool,
        tool,
        (name, one, other) => one === other || qualifyToolName(name, one) !== qualifyToolName(name, other),
      ),
    );
  });

  it('never confuses two servers', () => {
    const any = fc.stringMatching(/^[a-z0-9_-]{1,8}$/).filter(isServerName);
    fc.assert(
      fc.property(
        any,
        tool,
        any,
        tool,
        (one, first, other, second) =>
          one === other || qualifyToolName(one, first) !== qualifyToolName(other, second),
      ),
    );
  });
});

describe('approval', () => {
  it('is required for calls and descriptions', async () => {
    const connection = await behave('good', { newTools: 'ask' });
    expect(connection.tools[0]?.description).toEqual({
      name: 'bad__echo',
      description:
        'Not available: the user has not approved this tool yet. Continue without it, or ask the user to approve it.',
      parameters: { type: 'object' },
    });
    expect(await callMcpTool(connection, 'bad__echo')).toEqual({
      ok: false,
      error: {
        kind: 'denied',
        message:
          'bad__echo was not called: the user has not approved this tool yet. Continue without it, or ask the user to approve it.',
      },
    });
    expect(connection.reviews).toMatchObject([{ name: 'bad__echo', why: 'new', description: 'Does echo.' }]);
    await connection.approve(connection.reviews);
    expect(connection.reviews).toEqual([]);
    expect(connection.tools[0]?.description.description).toBe('Does echo.');
    expect(await callMcpTool(connection, 'bad__echo')).toMatchObject({ ok: true });
  });

  it.each(['changes-tools', 'changes-schema'])('ends when the tool changes: %s', async (way) => {
    const connection = await behave(way);
    expect(await callMcpTool(connection, 'bad__echo')).toMatchObject({ ok: true });
    expect(await callMcpTool(connection, 'bad__change')).toMatchObject({ ok: true, output: 'changed' });
    const message =
      'its server has changed the definition of this tool since the user approved it. Continue without it, or ask the user to approve it again.';
    expect(await callMcpTool(connection, 'bad__echo')).toEqual({
      ok: false,
      error: { kind: 'denied', message: `bad__echo was not called: ${message}` },
    });
    expect(connection.tools[0]?.description.description).toBe(`Not available: ${message}`);
    expect(await callMcpTool(connection, 'bad__change')).toMatchObject({ ok: true });
    expect(connection.reviews).toMatchObject([{ name: 'bad__echo', why: 'changed' }]);
    await connection.approve(connection.reviews);
    expect(await callMcpTool(connection, 'bad__echo')).toMatchObject({ ok: true });
  });

  it('applies to the version that the user saw, not to later ones', async () => {
    const connection = await behave('changes-tools', { newTools: 'ask' });
    const shown = connection.reviews;
    await connection.approve(shown);
    await callMcpTool(connection, 'bad__change');
    await expect.poll(() => connection.reviews).toMatchObject([{ name: 'bad__echo', why: 'changed' }]);
    await connection.approve(shown);
    expect(await callMcpTool(connection, 'bad__echo')).toMatchObject({
      ok: false,
      error: { kind: 'denied' },
    });
  });

  it('reports when a tool is no longer offered', async () => {
    const connection = await behave('drops-tool');
    await callMcpTool(connection, 'bad__change');
    expect(await callMcpTool(connection, 'bad__echo')).toMatchObject({
      error: {
        kind: 'denied',
        message: 'bad__echo was not called: its server no longer offers this tool. Continue without it.',
      },
    });
  });

  it('is required for a tool that is added later', async () => {
    const connection = await behave('adds-tool', { newTools: 'ask' });
    await connection.approve(connection.reviews);
    await callMcpTool(connection, 'bad__change');
    await expect.poll(() => connection.tools).toHaveLength(3);
    expect(await callMcpTool(connection, 'bad__more')).toMatchObject({
      ok: false,
      error: { kind: 'denied' },
    });
    expect(connection.reviews).toMatchObject([{ name: 'bad__more', why: 'new' }]);
  });
});
