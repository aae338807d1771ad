import { chmodSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { AutoCommitOptions } from '../../src/hooks/auto-commit.ts';
import { createHooks, type AgentHooks } from '../../src/hooks/hooks.ts';
import { createBubblewrapSandbox } from '../../src/sandbox/bubblewrap.ts';
import { passthroughSandbox, type CommandSandbox } from '../../src/sandbox/command-sandbox.ts';
import { createScratchRepository, type ScratchRepository } from './scratch-repository.ts';

const completedEdit = [{ callId: '1', tool: 'edit', ok: true }];

let scratch: ScratchRepository;
let reports: string[] = [];

beforeEach(() => {
  scratch = createScratchRepository();
  reports = [];
  vi.stubEnv('HOME', scratch.home);
  vi.stubEnv('XDG_CONFIG_HOME', undefined);
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
  scratch.remove();
});

function runAfterTools(
  hooks: AgentHooks,
  completed: Parameters<AgentHooks['afterTools']>[0] = completedEdit,
): Promise<boolean> {
  return hooks.afterTools(completed, new AbortController().signal);
}

function listCommitSubjects(): readonly string[] {
  return scratch.git('log', '--format=%s').trim().split('\n');
}

describe('auto-commit with git outside a sandbox', { tags: ['git'] }, () =>
  describeAutoCommit(() => passthroughSandbox),
);

describe('auto-commit with git in the sandbox', { tags: ['git', 'bubblewrap'] }, () =>
  describeAutoCommit(() => createBubblewrapSandbox({ home: scratch.home })),
);

function describeAutoCommit(createSandbox: () => CommandSandbox): void {
  /** Hooks that have looked at the repository as it is now. */
  function start(options: AutoCommitOptions = {}, workspace = scratch.root): Promise<AgentHooks> {
    return createHooks({
      workspace,
      autoCommit: options,
      sandbox: createSandbox(),
      report: (line) => reports.push(line),
    });
  }

  it('creates one commit for each step with changes', async () => {
    const hooks = await start();
    scratch.put('src/a.ts', '1');
    expect(await runAfterTools(hooks)).toBe(true);
    expect(await runAfterTools(hooks)).toBe(false);
    scratch.put('src/a.ts', '2');
    scratch.put('b.ts', '1');
    expect(await runAfterTools(hooks, [...completedEdit, { callId: '2', tool: 'shell', ok: true }])).toBe(
      true,
    );
    expect(listCommitSubjects()).toEqual(['edit, shell: 2 files', 'edit: src/a.ts']);
    expect(scratch.git('status', '--porcelain')).toBe('');
    expect(reports).toEqual([]);
  });

  it('skips a file whose name is not valid UTF-8 and commits the others', async () => {
    const hooks = await start();
    writeFileSync(Buffer.concat([Buffer.from(`${scratch.root}/odd`), Buffer.from([0xff])]), '');
    scratch.put('a', '');
    expect(await runAfterTools(hooks)).toBe(true);
    expect(scratch.git('ls-files').trim()).toBe('a');
    expect(reports).toEqual([expect.stringMatching(/^Not committed, because its name is not valid UTF-8/)]);
  });

  it('commits deletions, unusual names and links', async () => {
    scratch.put('gone', '');
    scratch.git('add', '.');
    scratch.git('commit', '--quiet', '-m', 'first');
    const hooks = await start();
    rmSync(join(scratch.root, 'gone'));
    const names = [
      '*',
      ':(top)x',
      '--help',
      '-rf',
      'a\nb',
      'ünïcode',
      'q\'uote"s',
      ' spaces ',
      '$(touch pwned)',
    ];
    for (const name of names) scratch.put(name, name);
    symlinkSync('/etc/passwd', join(scratch.root, 'link'));
    expect(await runAfterTools(hooks)).toBe(true);
    expect(scratch.git('status', '--porcelain')).toBe('');
    const kept = scratch.git('ls-tree', '-z', '--name-only', 'HEAD').split('\0').filter(Boolean);
    expect(kept.toSorted()).toEqual([...names, 'link'].toSorted());
    expect(listCommitSubjects()[0]).toBe('edit: 11 files');
    expect(reports).toEqual([]);
  });

  it('commits as Pawl without a configured identity, and as the user with one', async () => {
    const hooks = await start();
    scratch.put('a', '1');
    await runAfterTools(hooks);
    writeFileSync(join(scratch.home, '.gitconfig'), '[user]\n\tname = Ada\n\temail = ada@example.org\n');
    const later = await start();
    scratch.put('a', '2');
    await runAfterTools(later);
    expect(scratch.git('log', '--format=%an <%ae>').trim().split('\n')).toEqual([
      'Ada <ada@example.org>',
      'Pawl <pawl@localhost>',
    ]);
  });

  it('does not commit earlier changes of the user, staged or not', async () => {
    scratch.put('tracked', '1');
    scratch.git('add', '.');
    scratch.git('commit', '--quiet', '-m', 'first');
    scratch.put('tracked', "the user's");
    scratch.put('staged', "the user's");
    scratch.put('untracked', "the user's");
    scratch.git('add', 'staged');
    const before = scratch.git('status', '--porcelain');
    const hooks = await start();
    scratch.put('new', 'of a tool');
    expect(await runAfterTools(hooks)).toBe(true);
    expect(scratch.git('show', '--name-only', '--format=').trim()).toBe('new');
    expect(scratch.git('status', '--porcelain')).toBe(before);
    scratch.put('untracked', 'changed by a tool');
    expect(await runAfterTools(hooks)).toBe(true);
    expect(scratch.git('show', '--name-only', '--format=').trim()).toBe('untracked');
  });

  it('works on a detached HEAD', async () => {
    scratch.put('a', '1');
    scratch.git('add', '.');
    scratch.git('commit', '--quiet', '-m', 'first');
    scratch.git('checkout', '--quiet', '--detach');
    const hooks = await start();
    scratch.put('a', '2');
    expect(await runAfterTools(hooks)).toBe(true);
    expect(listCommitSubjects()).toEqual(['edit: a', 'first']);
    expect(scratch.git('log', '--format=%s', 'main').trim()).toBe('first');
  });

  it('works in a linked worktree and in a subfolder of a repository', async () => {
    scratch.put('part/a', '1');
    scratch.put('other', '1');
    scratch.git('add', '.');
    scratch.git('commit', '--quiet', '-m', 'first');
    const tree = join(scratch.outside, 'tree');
    scratch.git('worktree', 'add', '--quiet', '-b', 'side', tree);
    const there = await start({}, tree);
    writeFileSync(join(tree, 'new'), '');
    expect(await runAfterTools(there)).toBe(true);
    expect(scratch.git('log', '--format=%s', 'side').trim().split('\n')).toEqual(['edit: new', 'first']);

    const inPart = await start({}, join(scratch.root, 'part'));
    scratch.put('part/a', '2');
    scratch.put('other', '2');
    expect(await runAfterTools(inPart)).toBe(true);
    expect(scratch.git('status', '--porcelain')).toBe(' M other\n');
    expect(reports).toEqual([]);
  });

  it('reports a missing repository once and ignores one that is created later', async () => {
    const empty = join(scratch.outside, 'empty');
    mkdirSync(empty);
    const hooks = await start({}, empty);
    scratch.git('init', '--quiet', empty);
    writeFileSync(join(empty, 'a'), '');
    expect(await runAfterTools(hooks)).toBe(false);
    expect(reports).toEqual([expect.stringContaining('not a git repository')]);
    expect(existsSync(join(empty, '.git/refs/heads/main'))).toBe(false);
  });

  it("runs the repository's hooks only if configured, and reports one that fails", async () => {
    const hook = join(scratch.root, '.git/hooks/pre-commit');
    mkdirSync(join(scratch.root, '.git/hooks'), { recursive: true });
    writeFileSync(hook, '#!/bin/sh\necho "lint failed" >&2\nexit 1\n');
    chmodSync(hook, 0o755);
    const strict = await start({ runsHooks: true });
    const before = scratch.git('status', '--porcelain');
    scratch.put('a', '1');
    expect(await runAfterTools(strict)).toBe(false);
    expect(reports).toEqual(['Nothing was committed: git ended with exit code 1: lint failed']);
    expect(scratch.git('status', '--porcelain')).toBe(`${before}?? a\n`);
    expect(await runAfterTools(await start())).toBe(false);
    scratch.put('a', '2');
    expect(await runAfterTools(strict)).toBe(false);
    const easy = await start();
    scratch.put('a', '3');
    expect(await runAfterTools(easy)).toBe(true);
  });

  it('times out on a hook that hangs and leaves no lock behind', async () => {
    const hook = join(scratch.root, '.git/hooks/pre-commit');
    mkdirSync(join(scratch.root, '.git/hooks'), { recursive: true });
    writeFileSync(hook, '#!/bin/sh\ntrap "" TERM\n: > .git/hangs\nsleep 1000\n');
    chmodSync(hook, 0o755);
    const hooks = await start({ runsHooks: true, timeoutMs: 60_000 });
    scratch.put('a', '1');
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const stepped = runAfterTools(hooks);
    await expect.poll(() => existsSync(join(scratch.root, '.git/hangs'))).toBe(true);
    // Its time is up, and it does not end by itself.
    vi.advanceTimersByTime(60_000);
    vi.advanceTimersByTime(300);
    expect(await stepped).toBe(false);
    expect(reports).toEqual([expect.stringContaining('took longer than 60 s')]);
    expect(existsSync(join(scratch.root, '.git/index.lock'))).toBe(false);
    expect(scratch.git('status', '--porcelain')).toBe('?? a\n');
  });

  it('does not touch a merge in progress or the lock of another process', async () => {
    scratch.put('a', '1');
    scratch.git('add', '.');
    scratch.git('commit', '--quiet', '-m', 'first');
    const hooks = await start();
    writeFileSync(join(scratch.root, '.git/index.lock'), '');
    scratch.put('a', '2');
    expect(await runAfterTools(hooks)).toBe(false);
    expect(existsSync(join(scratch.root, '.git/index.lock'))).toBe(true);
    rmSync(join(scratch.root, '.git/index.lock'));
    writeFileSync(join(scratch.root, '.git/MERGE_HEAD'), scratch.git('rev-parse', 'HEAD'));
    expect(await runAfterTools(hooks)).toBe(false);
    expect(reports).toEqual([
      expect.stringContaining('index.lock'),
      'Nothing was committed: a merge, rebase, cherry-pick or revert is in progress (MERGE_HEAD).',
    ]);
  });

  it('never commits a new file that may contain a secret, or an ignored file', async () => {
    scratch.put('.env.example', 'KEY=');
    writeFileSync(join(scratch.home, 'ignored'), 'private.txt\n');
    writeFileSync(join(scratch.home, '.gitconfig'), '[core]\n\texcludesFile = ~/ignored\n');
    const hooks = await start();
    for (const path of ['.env', 'deploy/.env.local', 'id_rsa', 'tls/server.KEY', 'private.txt', 'code.ts'])
      scratch.put(path, 'the secret');
    expect(await runAfterTools(hooks)).toBe(true);
    expect(scratch.git('ls-files').trim()).toBe('code.ts');
    expect(reports).toHaveLength(4);
    expect(reports[0]).toBe('Not committed, because it may contain a secret: .env');
  });

  it('writes no file contents, secrets in names or invented tool names into the commit message', async () => {
    const hooks = await start();
    const key = 'sk-abcdefghijklmnop1234567890';
    scratch.put(`${key}.txt`, 'the contents');
    await runAfterTools(hooks, [
      { callId: '1', tool: `write\n\nSigned-off-by: ${key}`, ok: true },
      { callId: '2', tool: 'failed_tool', ok: false },
    ]);
    scratch.put('a\u202eb\nSigned-off-by: somebody', '');
    await runAfterTools(hooks);
    const log = scratch.git('log', '--format=%B');
    expect(log).not.toContain(key);
    expect(log).not.toContain('the contents');
    expect(log).not.toContain('failed_tool');
    expect(log).not.toContain('\u202e');
    expect(log).not.toMatch(/^Signed-off-by/m);
    expect(listCommitSubjects()[1]).toBe('tool: (a name that may be a secret)');
  });

  it('runs no program that the files or the configuration of the repository name', async () => {
    const pwned = join(scratch.root, 'pwned');
    scratch.git('config', 'core.fsmonitor', `touch ${pwned}; false`);
    scratch.git('config', 'gpg.program', `touch ${pwned}; false`);
    scratch.git('config', 'commit.gpgSign', 'true');
    scratch.git('config', 'core.editor', `touch ${pwned}; false`);
    for (const name of [
      'pre-commit',
      'post-commit',
      'prepare-commit-msg',
      'post-index-change',
      'reference-transaction',
    ])
      writeFileSync(join(scratch.root, '.git/hooks', name), `#!/bin/sh\ntouch ${pwned}\n`, { mode: 0o755 });
    const hooks = await start();
    scratch.put('a', '1');
    expect(await runAfterTools(hooks)).toBe(true);
    expect(existsSync(pwned)).toBe(false);
  });

  it('confines filter programs of the configuration of a worktree to the sandbox', async () => {
    const pwned = join(scratch.outside, 'pwned');
    scratch.put('.gitattributes', '* filter=evil\n');
    scratch.git('config', 'extensions.worktreeConfig', 'true');
    scratch.git('config', '--worktree', 'filter.evil.clean', `touch ${pwned}; cat`);
    const hooks = await start();
    scratch.put('a', '1');
    expect(await runAfterTools(hooks)).toBe(createSandbox().kind === 'bubblewrap');
    expect(existsSync(pwned)).toBe(false);
  });

  it('confines filter programs of the repository to the sandbox', async () => {
    const pwned = join(scratch.outside, 'pwned');
    scratch.put('.gitattributes', '* filter=evil\n');
    scratch.git('config', 'filter.evil.clean', `touch ${pwned}; touch ~/pwned; cat`);
    const hooks = await start();
    scratch.put('a', '1');
    const isHeld = createSandbox().kind === 'bubblewrap';
    expect(await runAfterTools(hooks)).toBe(isHeld);
    expect(existsSync(pwned) || existsSync(join(scratch.home, 'pwned'))).toBe(false);
    expect(reports).toEqual(isHeld ? [] : [expect.stringContaining('filter.evil.clean')]);
  });

  it('rejects a git folder of another repository and a work tree in another folder', async () => {
    const other = createScratchRepository();
    other.put('a', '');
    const hookFolder = join(scratch.outside, 'lured');
    mkdirSync(hookFolder);
    writeFileSync(join(hookFolder, '.git'), `gitdir: ${join(other.root, '.git')}\n`);
    const elsewhere = await start({}, hookFolder);
    writeFileSync(join(hookFolder, 'a'), '');
    expect(await runAfterTools(elsewhere)).toBe(false);
    scratch.git('config', 'core.worktree', scratch.home);
    const abroad = await start();
    writeFileSync(join(scratch.home, 'private'), '');
    expect(await runAfterTools(abroad)).toBe(false);
    scratch.git('config', '--file', join(scratch.root, '.git/config'), '--unset', 'core.worktree');
    writeFileSync(join(scratch.root, '.git/commondir'), join(other.root, '.git'));
    const shared = await start();
    scratch.put('b', '');
    expect(await runAfterTools(shared)).toBe(false);
    expect(other.git('status', '--porcelain')).toBe('?? a\n');
    expect(reports).toEqual([
      expect.stringContaining('belongs to another folder'),
      expect.stringContaining('outside this folder'),
      expect.stringContaining('belongs to another folder'),
    ]);
    other.remove();
  });

  it('ignores a nested repository', async () => {
    const hooks = await start();
    scratch.git('init', '--quiet', join(scratch.root, 'inner'));
    scratch.put('inner/a', '');
    scratch.put('b', '');
    expect(await runAfterTools(hooks)).toBe(true);
    expect(scratch.git('ls-files').trim()).toBe('b');
  });

  it('stops immediately when cancelled', async () => {
    const hooks = await start();
    scratch.put('a', '');
    expect(await hooks.afterTools(completedEdit, AbortSignal.abort())).toBe(false);
    expect(scratch.git('status', '--porcelain')).toBe('?? a\n');
  });
}
