import { chmodSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { AutoCommitOptions } from '../../src/hooks/auto-commit.ts';
import { createHooks, type Hooks } from '../../src/hooks/hooks.ts';
import { bubblewrapLauncher } from '../../src/sandbox/bubblewrap.ts';
import { openLauncher, type Launcher } from '../../src/sandbox/launcher.ts';
import { problem } from '../sandbox/sandboxed.ts';
import { scratchRepository, type Scratch } from './repository.ts';

const edit = [{ callId: '1', tool: 'edit', ok: true }];

let scratch: Scratch;
let reports: string[] = [];

beforeEach(() => {
  scratch = scratchRepository();
  reports = [];
  vi.stubEnv('HOME', scratch.home);
  vi.stubEnv('XDG_CONFIG_HOME', undefined);
});

afterEach(() => {
  vi.unstubAllEnvs();
  scratch.remove();
});

function step(hooks: Hooks, completed: Parameters<Hooks['afterTools']>[0] = edit): Promise<boolean> {
  return hooks.afterTools(completed, new AbortController().signal);
}

function history(): readonly string[] {
  return scratch.git('log', '--format=%s').trim().split('\n');
}

const launchers: readonly { name: string; launcher: () => Launcher; missing: boolean }[] = [
  { name: 'as it is', launcher: () => openLauncher, missing: false },
  {
    name: 'in the sandbox',
    launcher: () => bubblewrapLauncher({ home: scratch.home }),
    missing: problem !== null,
  },
];

describe.each(launchers)('auto-commit, with git run $name', ({ launcher, missing }) => {
  /** Hooks that have looked at the repository as it is now. */
  function start(options: AutoCommitOptions = {}, workspace = scratch.root): Promise<Hooks> {
    return createHooks({
      workspace,
      autoCommit: options,
      launcher: launcher(),
      report: (line) => reports.push(line),
    });
  }

  const given = it.skipIf(missing);

  given('makes one commit for each step that changed something', async () => {
    const hooks = await start();
    scratch.put('src/a.ts', '1');
    expect(await step(hooks)).toBe(true);
    expect(await step(hooks)).toBe(false);
    scratch.put('src/a.ts', '2');
    scratch.put('b.ts', '1');
    expect(await step(hooks, [...edit, { callId: '2', tool: 'shell', ok: true }])).toBe(true);
    expect(history()).toEqual(['edit, shell: 2 files', 'edit: src/a.ts']);
    expect(scratch.git('status', '--porcelain')).toBe('');
    expect(reports).toEqual([]);
  });

  given('leaves out a file whose name it cannot tell git, and commits the others', async () => {
    const hooks = await start();
    writeFileSync(Buffer.concat([Buffer.from(`${scratch.root}/odd`), Buffer.from([0xff])]), '');
    scratch.put('a', '');
    expect(await step(hooks)).toBe(true);
    expect(scratch.git('ls-files').trim()).toBe('a');
    expect(reports).toEqual([expect.stringMatching(/^Not committed, because its name is not text/)]);
  });

  given('commits deletions, odd names and links', async () => {
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
    expect(await step(hooks)).toBe(true);
    expect(scratch.git('status', '--porcelain')).toBe('');
    const kept = scratch.git('ls-tree', '-z', '--name-only', 'HEAD').split('\0').filter(Boolean);
    expect(kept.toSorted()).toEqual([...names, 'link'].toSorted());
    expect(history()[0]).toBe('edit: 11 files');
    expect(reports).toEqual([]);
  });

  given('commits where nobody said who commits, and as the user where they did', async () => {
    const hooks = await start();
    scratch.put('a', '1');
    await step(hooks);
    writeFileSync(join(scratch.home, '.gitconfig'), '[user]\n\tname = Ada\n\temail = ada@example.org\n');
    const later = await start();
    scratch.put('a', '2');
    await step(later);
    expect(scratch.git('log', '--format=%an <%ae>').trim().split('\n')).toEqual([
      'Ada <ada@example.org>',
      'Pawl <pawl@localhost>',
    ]);
  });

  given('leaves alone what the user had changed and staged before', async () => {
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
    expect(await step(hooks)).toBe(true);
    expect(scratch.git('show', '--name-only', '--format=').trim()).toBe('new');
    expect(scratch.git('status', '--porcelain')).toBe(before);
    scratch.put('untracked', 'changed by a tool');
    expect(await step(hooks)).toBe(true);
    expect(scratch.git('show', '--name-only', '--format=').trim()).toBe('untracked');
  });

  given('works on a detached HEAD', async () => {
    scratch.put('a', '1');
    scratch.git('add', '.');
    scratch.git('commit', '--quiet', '-m', 'first');
    scratch.git('checkout', '--quiet', '--detach');
    const hooks = await start();
    scratch.put('a', '2');
    expect(await step(hooks)).toBe(true);
    expect(history()).toEqual(['edit: a', 'first']);
    expect(scratch.git('log', '--format=%s', 'main').trim()).toBe('first');
  });

  given('works in a second work tree and in a part of a repository', async () => {
    scratch.put('part/a', '1');
    scratch.put('other', '1');
    scratch.git('add', '.');
    scratch.git('commit', '--quiet', '-m', 'first');
    const tree = join(scratch.outside, 'tree');
    scratch.git('worktree', 'add', '--quiet', '-b', 'side', tree);
    const there = await start({}, tree);
    writeFileSync(join(tree, 'new'), '');
    expect(await step(there)).toBe(true);
    expect(scratch.git('log', '--format=%s', 'side').trim().split('\n')).toEqual(['edit: new', 'first']);

    const inPart = await start({}, join(scratch.root, 'part'));
    scratch.put('part/a', '2');
    scratch.put('other', '2');
    expect(await step(inPart)).toBe(true);
    expect(scratch.git('status', '--porcelain')).toBe(' M other\n');
    expect(reports).toEqual([]);
  });

  given('says once that there is no repository, and takes none that turns up later', async () => {
    const empty = join(scratch.outside, 'empty');
    mkdirSync(empty);
    const hooks = await start({}, empty);
    scratch.git('init', '--quiet', empty);
    writeFileSync(join(empty, 'a'), '');
    expect(await step(hooks)).toBe(false);
    expect(reports).toEqual([expect.stringContaining('not a git repository')]);
    expect(existsSync(join(empty, '.git/refs/heads/main'))).toBe(false);
  });

  given("runs the repository's hooks only if asked to, and passes over one that fails", async () => {
    const hook = join(scratch.root, '.git/hooks/pre-commit');
    mkdirSync(join(scratch.root, '.git/hooks'), { recursive: true });
    writeFileSync(hook, '#!/bin/sh\necho "lint failed" >&2\nexit 1\n');
    chmodSync(hook, 0o755);
    const strict = await start({ runsHooks: true });
    const before = scratch.git('status', '--porcelain');
    scratch.put('a', '1');
    expect(await step(strict)).toBe(false);
    expect(reports).toEqual(['Nothing was committed: git ended with exit code 1: lint failed']);
    expect(scratch.git('status', '--porcelain')).toBe(`${before}?? a\n`);
    expect(await step(await start())).toBe(false);
    scratch.put('a', '2');
    expect(await step(strict)).toBe(false);
    const easy = await start();
    scratch.put('a', '3');
    expect(await step(easy)).toBe(true);
  });

  given('does not wait for a hook that hangs, and leaves no lock behind', async () => {
    const hook = join(scratch.root, '.git/hooks/pre-commit');
    mkdirSync(join(scratch.root, '.git/hooks'), { recursive: true });
    writeFileSync(hook, '#!/bin/sh\ntrap "" TERM\nsleep 1000\n');
    chmodSync(hook, 0o755);
    const hooks = await start({ runsHooks: true, timeoutMs: 3_000 });
    scratch.put('a', '1');
    expect(await step(hooks)).toBe(false);
    expect(reports).toEqual([expect.stringContaining('took longer than 3 s')]);
    expect(existsSync(join(scratch.root, '.git/index.lock'))).toBe(false);
    expect(scratch.git('status', '--porcelain')).toBe('?? a\n');
  });

  given('does not touch a merge under way, nor a lock of somebody else', async () => {
    scratch.put('a', '1');
    scratch.git('add', '.');
    scratch.git('commit', '--quiet', '-m', 'first');
    const hooks = await start();
    writeFileSync(join(scratch.root, '.git/index.lock'), '');
    scratch.put('a', '2');
    expect(await step(hooks)).toBe(false);
    expect(existsSync(join(scratch.root, '.git/index.lock'))).toBe(true);
    rmSync(join(scratch.root, '.git/index.lock'));
    writeFileSync(join(scratch.root, '.git/MERGE_HEAD'), scratch.git('rev-parse', 'HEAD'));
    expect(await step(hooks)).toBe(false);
    expect(reports).toEqual([
      expect.stringContaining('index.lock'),
      'Nothing was committed: a merge, rebase or the like is under way (MERGE_HEAD).',
    ]);
  });

  given('never commits a new file that may hold a secret, nor what git is told to ignore', async () => {
    scratch.put('.env.example', 'KEY=');
    writeFileSync(join(scratch.home, 'ignored'), 'private.txt\n');
    writeFileSync(join(scratch.home, '.gitconfig'), '[core]\n\texcludesFile = ~/ignored\n');
    const hooks = await start();
    for (const path of ['.env', 'deploy/.env.local', 'id_rsa', 'tls/server.KEY', 'private.txt', 'code.ts'])
      scratch.put(path, 'the secret');
    expect(await step(hooks)).toBe(true);
    expect(scratch.git('ls-files').trim()).toBe('code.ts');
    expect(reports).toHaveLength(4);
    expect(reports[0]).toBe('Not committed, because it may hold a secret: .env');
  });

  given(
    'says nothing in a message of what is in files, of secrets in names, or of made-up tools',
    async () => {
      const hooks = await start();
      const key = 'sk-abcdefghijklmnop1234567890';
      scratch.put(`${key}.txt`, 'the contents');
      await step(hooks, [
        { callId: '1', tool: `write\n\nSigned-off-by: ${key}`, ok: true },
        { callId: '2', tool: 'failed_tool', ok: false },
      ]);
      scratch.put('a\u202eb\nSigned-off-by: somebody', '');
      await step(hooks);
      const log = scratch.git('log', '--format=%B');
      expect(log).not.toContain(key);
      expect(log).not.toContain('the contents');
      expect(log).not.toContain('failed_tool');
      expect(log).not.toContain('\u202e');
      expect(log).not.toMatch(/^Signed-off-by/m);
      expect(history()[1]).toBe('tool: (a name that may be a secret)');
    },
  );

  given('runs nothing that the files or the settings of the repository ask for', async () => {
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
    expect(await step(hooks)).toBe(true);
    expect(existsSync(pwned)).toBe(false);
  });

  given('lets a program that the repository names reach nothing outside', async () => {
    const pwned = join(scratch.outside, 'pwned');
    scratch.put('.gitattributes', '* filter=evil\n');
    scratch.git('config', 'filter.evil.clean', `touch ${pwned}; touch ~/pwned; cat`);
    const hooks = await start();
    scratch.put('a', '1');
    const isHeld = launcher().kind === 'bubblewrap';
    expect(await step(hooks)).toBe(isHeld);
    expect(existsSync(pwned) || existsSync(join(scratch.home, 'pwned'))).toBe(false);
    expect(reports).toEqual(isHeld ? [] : [expect.stringContaining('filter.evil.clean')]);
  });

  given(
    'does not take the folder of another repository, or the files of another folder, for its own',
    async () => {
      const other = scratchRepository();
      other.put('a', '');
      const lured = join(scratch.outside, 'lured');
      mkdirSync(lured);
      writeFileSync(join(lured, '.git'), `gitdir: ${join(other.root, '.git')}\n`);
      const elsewhere = await start({}, lured);
      writeFileSync(join(lured, 'a'), '');
      expect(await step(elsewhere)).toBe(false);
      scratch.git('config', 'core.worktree', scratch.home);
      const abroad = await start();
      writeFileSync(join(scratch.home, 'private'), '');
      expect(await step(abroad)).toBe(false);
      scratch.git('config', '--file', join(scratch.root, '.git/config'), '--unset', 'core.worktree');
      writeFileSync(join(scratch.root, '.git/commondir'), join(other.root, '.git'));
      const shared = await start();
      scratch.put('b', '');
      expect(await step(shared)).toBe(false);
      expect(other.git('status', '--porcelain')).toBe('?? a\n');
      expect(reports).toEqual([
        expect.stringContaining('belongs to another folder'),
        expect.stringContaining('its files are somewhere else'),
        expect.stringContaining('belongs to another folder'),
      ]);
      other.remove();
    },
  );

  given('leaves a repository inside the repository alone', async () => {
    const hooks = await start();
    scratch.git('init', '--quiet', join(scratch.root, 'inner'));
    scratch.put('inner/a', '');
    scratch.put('b', '');
    expect(await step(hooks)).toBe(true);
    expect(scratch.git('ls-files').trim()).toBe('b');
  });

  given('ends at once when the work is called off', async () => {
    const hooks = await start();
    scratch.put('a', '');
    expect(await hooks.afterTools(edit, AbortSignal.abort())).toBe(false);
    expect(scratch.git('status', '--porcelain')).toBe('?? a\n');
  });
});
