import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createFileApprovalStore } from '../../src/mcp/approvals-file.ts';
import { createMemoryApprovalStore } from '../../src/mcp/approvals.ts';
import { createFixtureServer, callMcpTool, createMcpTestServer } from './mcp-test-server.ts';

const folder = mkdtempSync(join(tmpdir(), 'pawl-approvals-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let count = 0;
function createApprovalsPath(): string {
  count += 1;
  return join(folder, `sub-${count}`, 'approvals.json');
}

describe.each([
  ['in memory', createMemoryApprovalStore],
  ['in a file', () => createFileApprovalStore(createApprovalsPath())],
])('approvals %s', (_, create) => {
  it('start empty', async () => {
    expect(await create().getFingerprints('one')).toEqual(new Map());
  });

  it('store the last version of each tool of each server, whatever the names', async () => {
    const approvals = create();
    await approvals.approve([
      { server: 'one', tool: '__proto__', fingerprint: 'a' },
      { server: 'one', tool: 'constructor', fingerprint: 'b' },
      { server: 'two', tool: '__proto__', fingerprint: 'c' },
    ]);
    await approvals.approve([{ server: 'one', tool: '__proto__', fingerprint: 'd' }]);
    expect(await approvals.getFingerprints('one')).toEqual(
      new Map([
        ['__proto__', 'd'],
        ['constructor', 'b'],
      ]),
    );
    expect(await approvals.getFingerprints('two')).toEqual(new Map([['__proto__', 'c']]));
    expect(await approvals.getFingerprints('__proto__')).toEqual(new Map());
  });

  it('can be revoked for one server', async () => {
    const approvals = create();
    await approvals.approve([
      { server: 'one', tool: 'a', fingerprint: 'a' },
      { server: 'two', tool: 'a', fingerprint: 'a' },
    ]);
    await approvals.revoke('one');
    expect(await approvals.getFingerprints('one')).toEqual(new Map());
    expect((await approvals.getFingerprints('two')).size).toBe(1);
  });

  it('lose nothing with concurrent approvals', async () => {
    const approvals = create();
    const tools = Array.from({ length: 20 }, (__, index) => `tool-${index}`);
    await Promise.all(tools.map((tool) => approvals.approve([{ server: 'one', tool, fingerprint: tool }])));
    expect((await approvals.getFingerprints('one')).size).toBe(20);
  });
});

describe('approvals in a file', () => {
  it('persist for the next session, readable only by the owner, without leftover files', async () => {
    const path = createApprovalsPath();
    await createFileApprovalStore(path).approve([{ server: 'one', tool: 'a', fingerprint: 'f' }]);
    expect(await createFileApprovalStore(path).getFingerprints('one')).toEqual(new Map([['a', 'f']]));
    expect(statSync(path).mode & 0o777).toBe(process.platform === 'win32' ? 0o666 : 0o600);
    expect(readdirSync(join(path, '..'))).toEqual(['approvals.json']);
  });

  it.each([
    '',
    '{',
    '[]',
    '{"version":2,"approvals":[]}',
    '{"version":1,"approvals":[{"server":"a"}]}',
    '\xff\xfe',
  ])('approve nothing and are left alone when they are damaged: %j', async (content) => {
    const path = join(folder, 'damaged.json');
    writeFileSync(path, content, 'latin1');
    const approvals = createFileApprovalStore(path);
    await expect(approvals.getFingerprints('one')).rejects.toThrow('MCP tool approvals in');
    await expect(approvals.approve([{ server: 'a', tool: 'b', fingerprint: 'c' }])).rejects.toThrow(path);
    expect(readFileSync(path, 'latin1')).toBe(content);
  });

  it('report that they cannot be written', async () => {
    const path = join(folder, 'file');
    writeFileSync(path, '');
    const approvals = createFileApprovalStore(join(path, 'approvals.json'));
    await expect(approvals.approve([{ server: 'a', tool: 'b', fingerprint: 'c' }])).rejects.toThrow(
      'it cannot be written',
    );
  });
});

describe('approval across sessions', () => {
  const { connect } = createMcpTestServer();

  it('persists while the server stays the same', async () => {
    const approvals = createMemoryApprovalStore();
    const server = createFixtureServer('good', folder);
    await connect(server, { approvals });
    const again = await connect(server, { approvals, newTools: 'ask' });
    expect(await callMcpTool(again, 'bad__echo')).toMatchObject({ ok: true });
  });

  it('ends when the tool has changed, even if new tools need no approval', async () => {
    const approvals = createMemoryApprovalStore();
    const server = createFixtureServer('changes-tools', folder);
    await connect(server, { approvals });
    const changed = await connect({ ...server, env: { FIXTURE_VERSION: '2' } }, { approvals });
    expect(changed.reviews).toMatchObject([{ name: 'bad__echo', why: 'changed' }]);
    expect(await callMcpTool(changed, 'bad__echo')).toMatchObject({ ok: false, error: { kind: 'denied' } });
    expect(await callMcpTool(changed, 'bad__change')).toMatchObject({ ok: true });
  });

  it('ends when the server is started differently, whatever its tools are called', async () => {
    const approvals = createMemoryApprovalStore();
    await connect(createFixtureServer('good', folder), { approvals });
    const other = await connect(createFixtureServer('chatty', folder), { approvals });
    expect(await callMcpTool(other, 'bad__echo')).toMatchObject({ ok: false, error: { kind: 'denied' } });
  });
});
