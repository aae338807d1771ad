import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createApprovalsFile } from '../../src/mcp/approvals-file.ts';
import { createApprovals } from '../../src/mcp/approvals.ts';
import { behaving, call, serving } from './serving.ts';

const folder = mkdtempSync(join(tmpdir(), 'pawl-approvals-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let count = 0;
function newPath(): string {
  count += 1;
  return join(folder, `sub-${count}`, 'approvals.json');
}

describe.each([
  ['in memory', createApprovals],
  ['in a file', () => createApprovalsFile(newPath())],
])('approvals %s', (_, create) => {
  it('begin empty', async () => {
    expect(await create().of('one')).toEqual(new Map());
  });

  it('keep the last version of each tool of each server, whatever they are called', async () => {
    const approvals = create();
    await approvals.approve([
      { server: 'one', tool: '__proto__', fingerprint: 'a' },
      { server: 'one', tool: 'constructor', fingerprint: 'b' },
      { server: 'two', tool: '__proto__', fingerprint: 'c' },
    ]);
    await approvals.approve([{ server: 'one', tool: '__proto__', fingerprint: 'd' }]);
    expect(await approvals.of('one')).toEqual(
      new Map([
        ['__proto__', 'd'],
        ['constructor', 'b'],
      ]),
    );
    expect(await approvals.of('two')).toEqual(new Map([['__proto__', 'c']]));
    expect(await approvals.of('__proto__')).toEqual(new Map());
  });

  it('can be revoked for one server', async () => {
    const approvals = create();
    await approvals.approve([
      { server: 'one', tool: 'a', fingerprint: 'a' },
      { server: 'two', tool: 'a', fingerprint: 'a' },
    ]);
    await approvals.revoke('one');
    expect(await approvals.of('one')).toEqual(new Map());
    expect((await approvals.of('two')).size).toBe(1);
  });

  it('lose nothing when many come at once', async () => {
    const approvals = create();
    const tools = Array.from({ length: 20 }, (__, index) => `tool-${index}`);
    await Promise.all(tools.map((tool) => approvals.approve([{ server: 'one', tool, fingerprint: tool }])));
    expect((await approvals.of('one')).size).toBe(20);
  });
});

describe('approvals in a file', () => {
  it('are there for the next session, for nobody else to read, with nothing left beside them', async () => {
    const path = newPath();
    await createApprovalsFile(path).approve([{ server: 'one', tool: 'a', fingerprint: 'f' }]);
    expect(await createApprovalsFile(path).of('one')).toEqual(new Map([['a', 'f']]));
    expect(statSync(path).mode & 0o777).toBe(0o600);
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
    const approvals = createApprovalsFile(path);
    await expect(approvals.of('one')).rejects.toThrow('The approvals of MCP tools in');
    await expect(approvals.approve([{ server: 'a', tool: 'b', fingerprint: 'c' }])).rejects.toThrow(path);
    expect(readFileSync(path, 'latin1')).toBe(content);
  });

  it('say so when they cannot be written', async () => {
    const path = join(folder, 'file');
    writeFileSync(path, '');
    const approvals = createApprovalsFile(join(path, 'approvals.json'));
    await expect(approvals.approve([{ server: 'a', tool: 'b', fingerprint: 'c' }])).rejects.toThrow(
      'it cannot be written',
    );
  });
});

describe('approval from one session to the next', () => {
  const { connect } = serving();

  it('lasts while the server stays the same', async () => {
    const approvals = createApprovals();
    const server = behaving('good', folder);
    await connect(server, { approvals });
    const again = await connect(server, { approvals, newTools: 'ask' });
    expect(await call(again, 'bad__echo')).toMatchObject({ ok: true });
  });

  it('ends when the tool has changed in between, even if new tools need no approval', async () => {
    const approvals = createApprovals();
    const server = behaving('changes-tools', folder);
    await connect(server, { approvals });
    const changed = await connect({ ...server, env: { FIXTURE_VERSION: '2' } }, { approvals });
    expect(changed.reviews).toMatchObject([{ name: 'bad__echo', why: 'changed' }]);
    expect(await call(changed, 'bad__echo')).toMatchObject({ ok: false, error: { kind: 'denied' } });
    expect(await call(changed, 'bad__change')).toMatchObject({ ok: true });
  });

  it('ends when the server is started in another way, whatever its tools are called', async () => {
    const approvals = createApprovals();
    await connect(behaving('good', folder), { approvals });
    const other = await connect(behaving('chatty', folder), { approvals });
    expect(await call(other, 'bad__echo')).toMatchObject({ ok: false, error: { kind: 'denied' } });
  });
});
