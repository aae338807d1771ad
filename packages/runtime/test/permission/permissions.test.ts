import { mkdirSync, symlinkSync } from 'node:fs';
import type { Json } from '@pawl/core';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { permissionModes, type PermissionMode } from '../../src/permission/modes.ts';
import {
  createPermissionPolicy,
  type PermissionPolicy,
  type PermissionPolicyOptions,
} from '../../src/permission/permissions.ts';
import { formatPermissionRule, parsePermissionRule, type PermissionRule } from '../../src/permission/rule.ts';
import type { EffectClass, Tool } from '../../src/tools/tool.ts';
import { createTempFolder } from '../search/temp-folder.ts';
import { matchRefusal, runTestTool } from '../tools/run-test-tool.ts';
import { codePoint } from '../../../core/test/helpers/code-point.ts';

const createNamedTool = (name: string, effect?: EffectClass): Tool => ({
  description: { name, description: '', parameters: {} },
  ...(effect !== undefined && { effect, isConfinedToFolder: true }),
  run: () => Promise.resolve({ ok: true, output: 'ran' }),
});
const tools = [
  createNamedTool('read', 'read-only'),
  createNamedTool('write', 'verifiable'),
  createNamedTool('edit', 'verifiable'),
  createNamedTool('shell', 'not-repeatable'),
  createNamedTool('fetch'),
];
const requireRule = (text: string): PermissionRule => {
  const parsed = parsePermissionRule(text);
  if (!parsed.ok) throw new Error(parsed.problem);
  return parsed.rule;
};
const createTestPolicy = (
  mode: PermissionMode,
  rules: readonly string[] = [],
  more: Partial<PermissionPolicyOptions> = {},
) =>
  createPermissionPolicy({
    mode,
    rules: rules.map(requireRule),
    root: '/nowhere/at/all',
    tools,
    sandboxed: true,
    ...more,
  });
const explainDecision = (given: PermissionPolicy, tool: string, args: Json = {}): string =>
  given.explain({ tool, args }).decision;
const decideCommand = (given: PermissionPolicy, command: string): string =>
  explainDecision(given, 'shell', { command });

describe('a mode', () => {
  it.each([
    ['read-only', ['allow', 'deny', 'deny', 'deny']],
    ['ask', ['allow', 'ask', 'ask', 'ask']],
    ['auto-edit', ['allow', 'allow', 'ask', 'ask']],
    ['full-auto', ['allow', 'allow', 'allow', 'allow']],
  ] as const)('%s decides what no rule is about', (mode, [look, change, command, unknown]) => {
    const given = createTestPolicy(mode);
    expect(explainDecision(given, 'read', { path: 'a.ts' })).toBe(look);
    expect(explainDecision(given, 'edit', { path: 'a.ts' })).toBe(change);
    expect(decideCommand(given, 'npm test')).toBe(command);
    expect(explainDecision(given, 'never-heard-of', {})).toBe(unknown);
    const ruling = given.rules({ tool: 'edit', args: { path: 'a.ts' } });
    expect(typeof ruling === 'string' ? ruling : ruling.permission).toBe(change);
    expect(explainDecision(given, 'working_memory_add', { tags: 'a', value: 'b' })).toBe('allow');
  });

  it('that allows everything shows a warning, and still asks for commands without a sandbox', () => {
    expect(createTestPolicy('ask').warning).toBeNull();
    expect(createTestPolicy('full-auto').warning).toMatch(/^FULL-AUTO: .*in the sandbox without asking/);
    const open = createTestPolicy('full-auto', [], { sandboxed: false });
    expect(open.warning).toMatch(/no sandbox/);
    expect(decideCommand(open, 'npm test')).toBe('ask');
    expect(
      decideCommand(
        createTestPolicy('full-auto', ['allow shell(npm test)'], { sandboxed: false }),
        'npm test',
      ),
    ).toBe('allow');
  });

  it.each(permissionModes)(
    '%s never lets a file tool out of the folder, whatever a rule allows',
    { tags: ['unix'] },
    (mode) => {
      using folder = createTempFolder({ 'inner/x': '', 'outside/secret': '' });
      symlinkSync(folder.at('outside'), folder.at('inner/link'));
      const given = createTestPolicy(mode, ['allow *', 'allow *(**)'], { root: folder.at('inner') });
      for (const path of [
        '../outside/secret',
        '/etc/passwd',
        'link/secret',
        'link/new',
        'a/../../x',
        'link',
      ]) {
        expect(explainDecision(given, 'read', { path })).toBe('deny');
        expect(explainDecision(given, 'write', { path })).toBe('deny');
        expect(explainDecision(given, 'shell', { command: 'ls', cwd: path })).toBe('deny');
      }
    },
  );

  it.each(permissionModes)(
    '%s never allows changes in the .git folder, under any of its names',
    { tags: ['unix'] },
    (mode) => {
      using folder = createTempFolder({ '.git/config': '' });
      symlinkSync('.git', folder.at('innocent'));
      const given = createTestPolicy(mode, ['allow *', 'allow write(.git/hooks/x)'], { root: folder.root });
      for (const path of [
        '.git/hooks/x',
        '.GIT/config',
        'sub/.git/config',
        'innocent/hooks/x',
        './.git/../.git/x',
      ]) {
        expect(explainDecision(given, 'write', { path })).toBe('deny');
      }
    },
  );

  it('asks before changing a file that other programs act on, unless a rule names it', () => {
    const given = createTestPolicy('full-auto', ['allow write(**)', 'allow write(.vscode/extensions.json)']);
    for (const path of [
      'pawl.config.json',
      '.github/workflows/ci.yml',
      'sub/.husky/pre-commit',
      '.vscode/tasks.json',
    ]) {
      expect(explainDecision(given, 'write', { path })).toBe('ask');
      expect(explainDecision(given, 'read', { path })).toBe('allow');
    }
    expect(explainDecision(given, 'write', { path: '.vscode/extensions.json' })).toBe('allow');
  });
});

describe('a file whose name suggests keys or passwords', () => {
  it.each(permissionModes)(
    'is asked for in the mode %s, under any name, unless a rule allows it',
    { tags: ['unix'] },
    (mode) => {
      using folder = createTempFolder({ '.env': 'KEY=1', 'notes.md': '' });
      symlinkSync('.env', folder.at('notes'));
      const given = createTestPolicy(mode, [], { root: folder.root });
      for (const path of ['.env', './.env', 'notes', 'deploy/id_rsa', 'server.pem']) {
        expect(given.explain({ tool: 'read', args: { path } })).toMatchObject({
          decision: 'ask',
          reason: 'its file name suggests keys or passwords',
        });
      }
      expect(explainDecision(given, 'read', { path: 'notes.md' })).toBe('allow');
      expect(explainDecision(given, 'read', { path: '.env.example' })).toBe('allow');
      const allowed = createTestPolicy(mode, ['allow read(.env)'], { root: folder.root });
      expect(explainDecision(allowed, 'read', { path: '.env' })).toBe('allow');
    },
  );
});

describe('rules', () => {
  it('that deny win over all others, and the most specific one is reported', () => {
    const given = createTestPolicy('full-auto', [
      'allow edit(src/a.ts)',
      'deny edit',
      'deny edit(src/**)',
      'deny *',
    ]);
    expect(given.explain({ tool: 'edit', args: { path: 'src/a.ts' } })).toMatchObject({
      decision: 'deny',
      reason: 'the rule "deny edit(src/**)" applies',
      rule: requireRule('deny edit(src/**)'),
    });
    expect(given.explain({ tool: 'edit', args: { path: 'b.ts' } }).reason).toContain('"deny edit"');
  });

  it('that are more specific win, and of two equally specific ones the stricter wins', () => {
    const given = createTestPolicy('ask', [
      'allow shell(git **)',
      'ask shell(git push **)',
      'ask shell(ls)',
      'allow shell(ls)',
    ]);
    expect(decideCommand(given, 'git log')).toBe('allow');
    expect(decideCommand(given, 'git push origin')).toBe('ask');
    expect(decideCommand(given, 'ls')).toBe('ask');
  });

  it('that allow a command do not allow commands joined to it', () => {
    const given = createTestPolicy('ask', ['allow shell(git log **)']);
    expect(decideCommand(given, 'git log --stat')).toBe('allow');
    for (const line of [
      'git log; id',
      'git log | sh',
      'git log $(id)',
      'git log > x',
      'git log\nid',
      'X=1 git log',
    ]) {
      expect(decideCommand(given, line)).toBe('ask');
      expect(decideCommand(createTestPolicy('read-only', ['allow shell(git log **)']), line)).toBe('deny');
    }
    const why = given.explain({ tool: 'shell', args: { command: 'git log; id' } }).reason;
    expect(why).toBe('the mode ask asks before running commands, and it joins commands');
  });

  it('that deny a command require permission for a line that cannot be parsed, even if everything is allowed', () => {
    const given = createTestPolicy('full-auto', ['allow shell', 'deny shell(rm)', 'deny *(secrets/**)']);
    expect(decideCommand(given, 'ls && npm test')).toBe('allow');
    expect(decideCommand(given, 'npm test && /bin/rm x')).toBe('deny');
    expect(decideCommand(given, 'cat secrets/key')).toBe('deny');
    expect(decideCommand(given, '$(printf r%s m) x')).toBe('ask');
    expect(decideCommand(given, 'eval "$X"')).toBe('ask');
  });

  it(
    'that deny a path cannot be bypassed by a link, another case, a detour or a folder’s name',
    { tags: ['unix'] },
    () => {
      using folder = createTempFolder({ 'secrets/key': '' });
      symlinkSync('secrets', folder.at('open'));
      symlinkSync('secrets/key', folder.at('key'));
      mkdirSync(folder.at('sub'));
      const given = createTestPolicy('full-auto', ['deny *(secrets)', 'allow read(**)'], {
        root: folder.root,
      });
      for (const path of [
        'secrets/key',
        'SECRETS/key',
        'open/key',
        'key',
        'sub/../secrets/key',
        './/secrets',
        'open/new',
      ]) {
        expect(explainDecision(given, 'read', { path })).toBe('deny');
        expect(explainDecision(given, 'fetch', { file_path: path })).toBe('deny');
      }
      expect(explainDecision(given, 'read', { path: 'sub/x' })).toBe('allow');
    },
  );

  it.each([
    { file_name: 'secrets/key' },
    { source: 'secrets/key', destination: 'open' },
    { source: 'open', destination: 'secrets/key' },
    { old_path: 'open', new_path: 'secrets/key' },
    { paths: ['open', 'secrets/key'] },
    { files: ['secrets/key'] },
  ])('that deny a path apply to every argument name for it: %j', (args) => {
    expect(explainDecision(createTestPolicy('full-auto', ['deny *(secrets/**)']), 'server__tool', args)).toBe(
      'deny',
    );
  });

  it('are not evaluated for thousands of paths', () => {
    const paths = Array.from({ length: 1_001 }, (_, index) => `${index}.txt`);
    expect(explainDecision(createTestPolicy('full-auto'), 'server__tool', { paths })).toBe('deny');
    expect(explainDecision(createTestPolicy('full-auto'), 'server__tool', { paths: paths.slice(1) })).toBe(
      'allow',
    );
  });

  it('created by "always" cover all arguments of a call with several paths', () => {
    const args = { source: 'a', mode: 'fast' };
    expect(createTestPolicy('ask').createAlwaysRule({ tool: 'move', args })).toMatchObject({ exactly: args });
  });

  it('that allow a path allow a link only if the link and its target are allowed', { tags: ['unix'] }, () => {
    using folder = createTempFolder({ 'docs/a': '', 'src/b': '' });
    symlinkSync('../src/b', folder.at('docs/link'));
    const given = createTestPolicy('ask', ['allow write(docs/**)'], { root: folder.root });
    expect(explainDecision(given, 'write', { path: 'docs/a' })).toBe('allow');
    expect(explainDecision(given, 'write', { path: 'docs/link' })).toBe('ask');
    expect(explainDecision(given, 'write', { path: 'docs/../src/b' })).toBe('ask');
    expect(explainDecision(given, 'write', {})).toBe('ask');
  });

  it('are not misled by deceptive arguments', () => {
    const given = createTestPolicy('ask', ['allow shell(ls)', 'allow write(docs/**)']);
    const hostile = JSON.parse('{"__proto__": {"command": "ls"}, "command": ["ls"]}') as Json;
    for (const args of [hostile, ['ls'], 'ls', null, { command: { toString: 'ls' } }, { Command: 'ls' }]) {
      expect(explainDecision(given, 'shell', args)).toBe('ask');
    }
    expect(explainDecision(given, 'write', { path: 'docs/a', file_path: 'src/b' })).toBe('ask');
    let deep: Json = 'x';
    for (let depth = 0; depth < 5_000; depth += 1) deep = { deep };
    expect(explainDecision(createTestPolicy('full-auto'), 'fetch', deep)).toBe('deny');
    expect(createTestPolicy('full-auto').createAlwaysRule({ tool: 'fetch', args: deep })).toBeNull();
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

  it('is decided deterministically without throwing, and read-only mode never allows a change', () => {
    const rules = ['allow *', 'deny *(a*)', 'ask shell(git **)', 'allow write(**)'];
    fc.assert(
      fc.property(anyCall, fc.constantFrom(...permissionModes), (given, mode) => {
        const call = given as { readonly tool: string; readonly args: Json };
        const all = createTestPolicy(mode, rules);
        expect(all.explain(call)).toEqual(all.explain(call));
        if (mode === 'read-only' && call.tool !== 'read')
          expect(all.rules(call)).toMatchObject({
            permission: 'deny',
            reason: expect.stringContaining('Not allowed'),
          });
        all.createAlwaysRule(call);
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
  ])('covers exactly this kind of call: %s %j', (tool, args, text) => {
    const given = createTestPolicy('ask');
    const made = given.createAlwaysRule({ tool, args });
    expect(made === null ? null : formatPermissionRule(made)).toBe(text);
    expect(parsePermissionRule(text)).toEqual({ ok: true, rule: made });
    expect(explainDecision(given, tool, args)).toBe('ask');
    if (made !== null) given.add(made);
    expect(explainDecision(given, tool, args)).toBe('allow');
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
        const given = createTestPolicy('ask');
        const made = given.createAlwaysRule(one);
        if (made !== null) given.add(made);
        // The one folder to run in is as good as another for a command that was allowed by itself.
        const isSameCommand =
          one.args.command === 'npm test' && other.args.command === 'npm test' && !('cwd' in one.args);
        expect(given.explain(other).decision).toBe(one === other || isSameCommand ? 'allow' : 'ask');
      }),
    );
  });

  it(
    'covers only these exact arguments if the path is a link, whose target may change',
    { tags: ['unix'] },
    () => {
      using folder = createTempFolder({ 'real.ts': '' });
      symlinkSync('real.ts', folder.at('link.ts'));
      const args = { path: 'link.ts', content: 'x' };
      expect(
        createTestPolicy('ask', [], { root: folder.root }).createAlwaysRule({ tool: 'write', args }),
      ).toEqual({
        decision: 'allow',
        tool: 'write',
        exactly: args,
      });
    },
  );

  it('is not available for a tool whose name contains wildcards', () => {
    expect(createTestPolicy('ask').createAlwaysRule({ tool: '*', args: {} })).toBeNull();
    expect(createTestPolicy('ask').createAlwaysRule({ tool: 'a(b', args: {} })).toBeNull();
  });
});

describe('a rule in text form', () => {
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
  ])('is rejected if it is invalid: %j', (text) => {
    const parsed = parsePermissionRule(text);
    expect(parsed).toMatchObject({
      ok: false,
      problem: expect.stringContaining('is not a rule.') as unknown,
    });
  });

  it('is unchanged after formatting and parsing', () => {
    const made = fc.record({
      decision: fc.constantFrom('allow', 'ask', 'deny'),
      tool: fc.stringMatching(/^[\w.*-]{1,8}$/),
      on: fc.stringMatching(/^[!-~]{1,20}$/),
    });
    fc.assert(
      fc.property(made, (each) => {
        expect(parsePermissionRule(formatPermissionRule(each))).toEqual({ ok: true, rule: each });
      }),
    );
  });
});

describe('a guarded tool', () => {
  it('is denied when it runs if its target has changed since', { tags: ['unix'] }, async () => {
    using folder = createTempFolder({ 'secrets/key': '', 'docs/a': '' });
    const given = createTestPolicy('full-auto', ['deny *(secrets)'], { root: folder.root });
    const [read] = given.guard(tools);
    if (read === undefined) throw new Error('There is no tool.');
    const args = { path: 'link/key' };
    expect(explainDecision(given, 'read', args)).toBe('allow');
    symlinkSync('secrets', folder.at('link'));
    expect(await runTestTool(read, args)).toEqual(
      matchRefusal('denied', /not allowed: the rule "deny \*\(secrets\)" applies/),
    );
    expect(await runTestTool(read, { path: 'docs/a' })).toMatchObject({ ok: true });
  });
});
