import { mkdirSync, symlinkSync } from 'node:fs';
import type { Json } from '@pawl/core';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { permissionModes, type PermissionMode } from '../../src/permission/modes.ts';
import {
  createPermissions,
  type Permissions,
  type PermissionsOptions,
} from '../../src/permission/permissions.ts';
import { formatRule, parseRule, type PermissionRule } from '../../src/permission/rule.ts';
import type { EffectClass, Tool } from '../../src/tools/tool.ts';
import { tempFolder } from '../search/temp-folder.ts';
import { refused, runTool } from '../tools/run-tool.ts';
import { codePoint } from '../../../core/test/helpers/code-point.ts';

const toolNamed = (name: string, effect?: EffectClass): Tool => ({
  description: { name, description: '', parameters: {} },
  ...(effect !== undefined && { effect }),
  run: () => Promise.resolve({ ok: true, output: 'ran' }),
});
const tools = [
  toolNamed('read', 'read-only'),
  toolNamed('write', 'verifiable'),
  toolNamed('edit', 'verifiable'),
  toolNamed('shell', 'not-repeatable'),
  toolNamed('fetch'),
];
const rule = (text: string): PermissionRule => {
  const parsed = parseRule(text);
  if (!parsed.ok) throw new Error(parsed.problem);
  return parsed.rule;
};
const permissions = (
  mode: PermissionMode,
  rules: readonly string[] = [],
  more: Partial<PermissionsOptions> = {},
) =>
  createPermissions({
    mode,
    rules: rules.map(rule),
    root: '/nowhere/at/all',
    tools,
    sandboxed: true,
    ...more,
  });
const decide = (given: Permissions, tool: string, args: Json = {}): string =>
  given.explain({ tool, args }).decision;
const run = (given: Permissions, command: string): string => decide(given, 'shell', { command });

describe('a mode', () => {
  it.each([
    ['read-only', ['allow', 'deny', 'deny', 'deny']],
    ['ask', ['allow', 'ask', 'ask', 'ask']],
    ['auto-edit', ['allow', 'allow', 'ask', 'ask']],
    ['full-auto', ['allow', 'allow', 'allow', 'allow']],
  ] as const)('%s decides what no rule is about', (mode, [look, change, command, unknown]) => {
    const given = permissions(mode);
    expect(decide(given, 'read', { path: 'a.ts' })).toBe(look);
    expect(decide(given, 'edit', { path: 'a.ts' })).toBe(change);
    expect(run(given, 'npm test')).toBe(command);
    expect(decide(given, 'never-heard-of', {})).toBe(unknown);
    const ruling = given.rules({ tool: 'edit', args: { path: 'a.ts' } });
    expect(typeof ruling === 'string' ? ruling : ruling.permission).toBe(change);
    expect(decide(given, 'working_memory_add', { tags: 'a', value: 'b' })).toBe('allow');
  });

  it('that asks for nothing is loud about it, and asks after all where no sandbox holds commands', () => {
    expect(permissions('ask').warning).toBeNull();
    expect(permissions('full-auto').warning).toMatch(/^FULL-AUTO: .*in the sandbox without being asked/);
    const open = permissions('full-auto', [], { sandboxed: false });
    expect(open.warning).toMatch(/no sandbox/);
    expect(run(open, 'npm test')).toBe('ask');
    expect(run(permissions('full-auto', ['allow shell(npm test)'], { sandboxed: false }), 'npm test')).toBe(
      'allow',
    );
  });

  it.each(permissionModes)('%s never lets a file tool out of the folder, whatever a rule allows', (mode) => {
    using folder = tempFolder({ 'inner/x': '', 'outside/secret': '' });
    symlinkSync(folder.at('outside'), folder.at('inner/link'));
    const given = permissions(mode, ['allow *', 'allow *(**)'], { root: folder.at('inner') });
    for (const path of ['../outside/secret', '/etc/passwd', 'link/secret', 'link/new', 'a/../../x', 'link']) {
      expect(decide(given, 'read', { path })).toBe('deny');
      expect(decide(given, 'write', { path })).toBe('deny');
      expect(decide(given, 'shell', { command: 'ls', cwd: path })).toBe('deny');
    }
  });

  it.each(permissionModes)('%s never lets git’s own folder be changed, by no name of it', (mode) => {
    using folder = tempFolder({ '.git/config': '' });
    symlinkSync('.git', folder.at('innocent'));
    const given = permissions(mode, ['allow *', 'allow write(.git/hooks/x)'], { root: folder.root });
    for (const path of [
      '.git/hooks/x',
      '.GIT/config',
      'sub/.git/config',
      'innocent/hooks/x',
      './.git/../.git/x',
    ]) {
      expect(decide(given, 'write', { path })).toBe('deny');
    }
  });

  it('asks before a file is changed that other programs obey, unless a rule names it', () => {
    const given = permissions('full-auto', ['allow write(**)', 'allow write(.vscode/extensions.json)']);
    for (const path of [
      'pawl.config.json',
      '.github/workflows/ci.yml',
      'sub/.husky/pre-commit',
      '.vscode/tasks.json',
    ]) {
      expect(decide(given, 'write', { path })).toBe('ask');
      expect(decide(given, 'read', { path })).toBe('allow');
    }
    expect(decide(given, 'write', { path: '.vscode/extensions.json' })).toBe('allow');
  });
});

describe('a file that may hold keys or passwords', () => {
  it.each(permissionModes)('is asked for in the mode %s, under any name, unless a rule allows it', (mode) => {
    using folder = tempFolder({ '.env': 'KEY=1', 'notes.md': '' });
    symlinkSync('.env', folder.at('notes'));
    const given = permissions(mode, [], { root: folder.root });
    for (const path of ['.env', './.env', 'notes', 'deploy/id_rsa', 'server.pem']) {
      expect(given.explain({ tool: 'read', args: { path } })).toMatchObject({
        decision: 'ask',
        why: 'by its name it may hold keys or passwords',
      });
    }
    expect(decide(given, 'read', { path: 'notes.md' })).toBe('allow');
    expect(decide(given, 'read', { path: '.env.example' })).toBe('allow');
    const allowed = permissions(mode, ['allow read(.env)'], { root: folder.root });
    expect(decide(allowed, 'read', { path: '.env' })).toBe('allow');
  });
});

describe('rules', () => {
  it('that deny win over all others, and the most specific is the one named', () => {
    const given = permissions('full-auto', [
      'allow edit(src/a.ts)',
      'deny edit',
      'deny edit(src/**)',
      'deny *',
    ]);
    expect(given.explain({ tool: 'edit', args: { path: 'src/a.ts' } })).toMatchObject({
      decision: 'deny',
      why: 'the rule "deny edit(src/**)" says so',
      rule: rule('deny edit(src/**)'),
    });
    expect(given.explain({ tool: 'edit', args: { path: 'b.ts' } }).why).toContain('"deny edit"');
  });

  it('that are more specific win, and of two equal ones the more careful', () => {
    const given = permissions('ask', [
      'allow shell(git **)',
      'ask shell(git push **)',
      'ask shell(ls)',
      'allow shell(ls)',
    ]);
    expect(run(given, 'git log')).toBe('allow');
    expect(run(given, 'git push origin')).toBe('ask');
    expect(run(given, 'ls')).toBe('ask');
  });

  it('that allow a command allow nothing that is joined to it', () => {
    const given = permissions('ask', ['allow shell(git log **)']);
    expect(run(given, 'git log --stat')).toBe('allow');
    for (const line of [
      'git log; id',
      'git log | sh',
      'git log $(id)',
      'git log > x',
      'git log\nid',
      'X=1 git log',
    ]) {
      expect(run(given, line)).toBe('ask');
      expect(run(permissions('read-only', ['allow shell(git log **)']), line)).toBe('deny');
    }
    const why = given.explain({ tool: 'shell', args: { command: 'git log; id' } }).why;
    expect(why).toBe('the mode ask asks before running things, and it joins commands');
  });

  it('that deny a command make what cannot be read one to ask about, even where all is allowed', () => {
    const given = permissions('full-auto', ['allow shell', 'deny shell(rm)', 'deny *(secrets/**)']);
    expect(run(given, 'ls && npm test')).toBe('allow');
    expect(run(given, 'npm test && /bin/rm x')).toBe('deny');
    expect(run(given, 'cat secrets/key')).toBe('deny');
    expect(run(given, '$(printf r%s m) x')).toBe('ask');
    expect(run(given, 'eval "$X"')).toBe('ask');
  });

  it('that deny a path are not got round by a link, another case, a detour or a folder’s name', () => {
    using folder = tempFolder({ 'secrets/key': '' });
    symlinkSync('secrets', folder.at('open'));
    symlinkSync('secrets/key', folder.at('key'));
    mkdirSync(folder.at('sub'));
    const given = permissions('full-auto', ['deny *(secrets)', 'allow read(**)'], { root: folder.root });
    for (const path of [
      'secrets/key',
      'SECRETS/key',
      'open/key',
      'key',
      'sub/../secrets/key',
      './/secrets',
      'open/new',
    ]) {
      expect(decide(given, 'read', { path })).toBe('deny');
      expect(decide(given, 'fetch', { file_path: path })).toBe('deny');
    }
    expect(decide(given, 'read', { path: 'sub/x' })).toBe('allow');
  });

  it.each([
    { file_name: 'secrets/key' },
    { source: 'secrets/key', destination: 'open' },
    { source: 'open', destination: 'secrets/key' },
    { old_path: 'open', new_path: 'secrets/key' },
    { paths: ['open', 'secrets/key'] },
    { files: ['secrets/key'] },
  ])('that deny a path deny it under whatever name a tool has for it: %j', (args) => {
    expect(decide(permissions('full-auto', ['deny *(secrets/**)']), 'server__tool', args)).toBe('deny');
  });

  it('are not asked to look at thousands of paths', () => {
    const paths = Array.from({ length: 1_001 }, (_, index) => `${index}.txt`);
    expect(decide(permissions('full-auto'), 'server__tool', { paths })).toBe('deny');
    expect(decide(permissions('full-auto'), 'server__tool', { paths: paths.slice(1) })).toBe('allow');
  });

  it('that "always" makes are about all arguments where a call has several paths', () => {
    const args = { source: 'a', mode: 'fast' };
    expect(permissions('ask').alwaysFor({ tool: 'move', args })).toMatchObject({ exactly: args });
  });

  it('that allow a path allow a link only if both its ends are allowed', () => {
    using folder = tempFolder({ 'docs/a': '', 'src/b': '' });
    symlinkSync('../src/b', folder.at('docs/link'));
    const given = permissions('ask', ['allow write(docs/**)'], { root: folder.root });
    expect(decide(given, 'write', { path: 'docs/a' })).toBe('allow');
    expect(decide(given, 'write', { path: 'docs/link' })).toBe('ask');
    expect(decide(given, 'write', { path: 'docs/../src/b' })).toBe('ask');
    expect(decide(given, 'write', {})).toBe('ask');
  });

  it('do not fall for arguments that are not what they seem', () => {
    const given = permissions('ask', ['allow shell(ls)', 'allow write(docs/**)']);
    const hostile = JSON.parse('{"__proto__": {"command": "ls"}, "command": ["ls"]}') as Json;
    for (const args of [hostile, ['ls'], 'ls', null, { command: { toString: 'ls' } }, { Command: 'ls' }]) {
      expect(decide(given, 'shell', args)).toBe('ask');
    }
    expect(decide(given, 'write', { path: 'docs/a', file_path: 'src/b' })).toBe('ask');
    let deep: Json = 'x';
    for (let depth = 0; depth < 5_000; depth += 1) deep = { deep };
    expect(decide(permissions('full-auto'), 'fetch', deep)).toBe('deny');
    expect(permissions('full-auto').alwaysFor({ tool: 'fetch', args: deep })).toBeNull();
  });
});

describe('any call at all', () => {
  const args = fc.oneof(
    fc.jsonValue(),
    fc.record(
      { path: fc.string({ unit: codePoint }), command: fc.string({ unit: codePoint }) },
      { requiredKeys: [] },
    ),
  );
  const anyCall = fc.record({ tool: fc.constantFrom('read', 'write', 'shell', 'fetch', 'odd*('), args });

  it('is decided without a throw, the same way each time, and never made possible by reading only', () => {
    const rules = ['allow *', 'deny *(a*)', 'ask shell(git **)', 'allow write(**)'];
    fc.assert(
      fc.property(anyCall, fc.constantFrom(...permissionModes), (given, mode) => {
        const call = given as { readonly tool: string; readonly args: Json };
        const all = permissions(mode, rules);
        expect(all.explain(call)).toEqual(all.explain(call));
        if (mode === 'read-only' && call.tool !== 'read')
          expect(all.rules(call)).toMatchObject({
            permission: 'deny',
            because: expect.stringContaining('Not allowed'),
          });
        all.alwaysFor(call);
      }),
    );
  });
});

describe('always', () => {
  it.each([
    ['shell', { command: 'npm test' }, 'allow shell(npm test)'],
    ['shell', { command: "git commit -m 'a*b'" }, String.raw`allow shell(git commit -m a\*b)`],
    ['shell', { command: 'npm test', cwd: 'sub' }, 'allow shell {"command":"npm test","cwd":"sub"}'],
    ['shell', { command: 'a && b' }, 'allow shell {"command":"a && b"}'],
    ['edit', { path: 'src/a[1].ts', old: 'x', new: 'y' }, String.raw`allow edit(src/a\[1\].ts)`],
    ['fetch', { url: 'x' }, 'allow fetch {"url":"x"}'],
  ])('means this kind of call and nothing besides: %s %j', (tool, args, text) => {
    const given = permissions('ask');
    const made = given.alwaysFor({ tool, args });
    expect(made === null ? null : formatRule(made)).toBe(text);
    expect(parseRule(text)).toEqual({ ok: true, rule: made });
    expect(decide(given, tool, args)).toBe('ask');
    if (made !== null) given.add(made);
    expect(decide(given, tool, args)).toBe('allow');
    expect(given.list()).toEqual([made]);
  });

  it('allows no other command, file or argument', () => {
    const calls = [
      { tool: 'shell', args: { command: 'npm test' } },
      { tool: 'shell', args: { command: 'npm test --watch' } },
      { tool: 'shell', args: { command: 'npm test; id' } },
      { tool: 'shell', args: { command: 'npm test', cwd: 'sub' } },
      { tool: 'edit', args: { path: 'a.ts' } },
      { tool: 'edit', args: { path: '*' } },
      { tool: 'write', args: { path: 'a.ts' } },
      { tool: 'fetch', args: { url: 'a' } },
      { tool: 'fetch', args: { url: 'b' } },
    ];
    const call = fc.constantFrom(...calls);
    fc.assert(
      fc.property(call, call, (one, other) => {
        const given = permissions('ask');
        const made = given.alwaysFor(one);
        if (made !== null) given.add(made);
        // The one folder to run in is as good as another for a command that was allowed by itself.
        const isSameCommand =
          one.args.command === 'npm test' && other.args.command === 'npm test' && !('cwd' in one.args);
        expect(given.explain(other).decision).toBe(one === other || isSameCommand ? 'allow' : 'ask');
      }),
    );
  });

  it('is about these very arguments when the path is a link, which may lead elsewhere tomorrow', () => {
    using folder = tempFolder({ 'real.ts': '' });
    symlinkSync('real.ts', folder.at('link.ts'));
    const args = { path: 'link.ts', content: 'x' };
    expect(permissions('ask', [], { root: folder.root }).alwaysFor({ tool: 'write', args })).toEqual({
      decision: 'allow',
      tool: 'write',
      exactly: args,
    });
  });

  it('cannot be had for a tool whose name would mean more than itself', () => {
    expect(permissions('ask').alwaysFor({ tool: '*', args: {} })).toBeNull();
    expect(permissions('ask').alwaysFor({ tool: 'a(b', args: {} })).toBeNull();
  });
});

describe('a rule in words', () => {
  it.each([
    'allow',
    'allow ',
    'permit read',
    'allow read()',
    'allow read( )',
    'allow read {x}',
    'allow a b',
    '',
    '(x)',
  ])('is refused when it makes no sense: %j', (text) => {
    const parsed = parseRule(text);
    expect(parsed).toMatchObject({
      ok: false,
      problem: expect.stringContaining('is not a rule.') as unknown,
    });
  });

  it('is the same after being written and read', () => {
    const made = fc.record({
      decision: fc.constantFrom('allow', 'ask', 'deny'),
      tool: fc.stringMatching(/^[\w.*-]{1,8}$/),
      on: fc.stringMatching(/^[!-~]{1,20}$/),
    });
    fc.assert(
      fc.property(made, (each) => {
        expect(parseRule(formatRule(each))).toEqual({ ok: true, rule: each });
      }),
    );
  });
});

describe('a tool that is guarded', () => {
  it('is refused when it runs, if what it is about has become something else since', async () => {
    using folder = tempFolder({ 'secrets/key': '', 'docs/a': '' });
    const given = permissions('full-auto', ['deny *(secrets)'], { root: folder.root });
    const [read] = given.guard(tools);
    if (read === undefined) throw new Error('There is no tool.');
    const args = { path: 'link/key' };
    expect(decide(given, 'read', args)).toBe('allow');
    symlinkSync('secrets', folder.at('link'));
    expect(await runTool(read, args)).toEqual(
      refused('denied', /not allowed: the rule "deny \*\(secrets\)" says so/),
    );
    expect(await runTool(read, { path: 'docs/a' })).toMatchObject({ ok: true });
  });
});
