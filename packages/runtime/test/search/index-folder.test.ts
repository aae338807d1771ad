import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type IndexProgress, indexFolder, WorkspaceError } from '../../src/search/index-folder.ts';
import { createTempFolder } from './temp-folder.ts';

/** Runs something as a user who may not read everything, which root may. */
async function runAsOrdinaryUser<Result>(run: () => Promise<Result>): Promise<Result> {
  const isRoot = process.getuid?.() === 0;
  if (isRoot) process.seteuid?.(65_534);
  try {
    return await run();
  } finally {
    if (isRoot) process.seteuid?.(0);
  }
}

describe('indexing a folder', () => {
  it('finds the text of every file, with paths relative to the folder', async () => {
    using folder = createTempFolder({
      'readme.md': 'A pawl catches.',
      'docs/deep/notes.txt': 'A ratchet turns.',
    });
    using index = await indexFolder(folder.root);
    expect(index.root).toBe(folder.root);
    expect(index.paths).toEqual(['readme.md', 'docs/deep/notes.txt']);
    expect(index.search('ratchet').hits[0]).toMatchObject({ path: 'docs/deep/notes.txt', first: 1, last: 1 });
  });

  it('reads files before subfolders, in the order of their names', async () => {
    using folder = createTempFolder({ 'b.md': 'b', 'a/z.md': 'z', 'a/B.md': 'B', 'c.md': 'c', 'A.md': 'A' });
    using first = await indexFolder(folder.root);
    using second = await indexFolder(folder.root);
    expect(first.paths).toEqual(['A.md', 'b.md', 'c.md', 'a/B.md', 'a/z.md']);
    expect(second.paths).toEqual(first.paths);
  });

  it('skips binary files and text that is not UTF-8, and reports them', async () => {
    using folder = createTempFolder({
      'nul.bin': 'text\0text',
      'latin1.txt': Uint8Array.of(0x63, 0x61, 0x66, 0xe9),
      'fine.txt': 'café',
    });
    using index = await indexFolder(folder.root);
    expect(index.paths).toEqual(['fine.txt']);
    expect(index.skips).toEqual([
      { path: 'latin1.txt', reason: 'binary' },
      { path: 'nul.bin', reason: 'binary' },
    ]);
  });

  it('does not read a file over the limit', async () => {
    using folder = createTempFolder({ 'huge.txt': 'start', 'small.txt': 'small' });
    // Sparse: it takes no room on the disk, and would take two hundred megabytes in memory.
    truncateSync(folder.at('huge.txt'), 200 * 1024 * 1024);
    const before = process.memoryUsage().arrayBuffers;
    using index = await indexFolder(folder.root);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(20 * 1024 * 1024);
    expect(index.paths).toEqual(['small.txt']);
    expect(index.skips).toEqual([{ path: 'huge.txt', reason: 'too-large' }]);
  });

  it('follows no symbolic link and opens no pipe', { tags: ['unix'] }, async () => {
    using folder = createTempFolder({ 'real.txt': 'real' });
    symlinkSync('/etc', folder.at('link'));
    symlinkSync(folder.at('real.txt'), folder.at('alias.txt'));
    execFileSync('mkfifo', [folder.at('pipe')]);
    using index = await indexFolder(folder.root);
    expect(index.paths).toEqual(['real.txt']);
    expect(index.skips).toEqual([
      { path: 'alias.txt', reason: 'symlink' },
      { path: 'link', reason: 'symlink' },
      { path: 'pipe', reason: 'special' },
    ]);
  });

  it('skips unreadable files and continues', { tags: ['unix'] }, async () => {
    using folder = createTempFolder({
      'open.txt': 'open',
      'closed.txt': 'secret',
      'closed/inside.txt': 'inside',
    });
    chmodSync(folder.root, 0o755);
    chmodSync(folder.at('closed.txt'), 0o000);
    chmodSync(folder.at('closed'), 0o000);
    using index = await runAsOrdinaryUser(() => indexFolder(folder.root));
    expect(index.paths).toEqual(['open.txt']);
    expect(index.skips).toEqual([
      { path: 'closed.txt', reason: 'unreadable' },
      { path: 'closed', reason: 'unreadable' },
    ]);
    chmodSync(folder.at('closed'), 0o755);
  });

  it('excludes dependencies, build output and paths in the root .gitignore', async () => {
    using folder = createTempFolder({
      '.gitignore': '*.log\n/private/\n',
      'a.log': 'x',
      'kept.md': 'x',
      'private/diary.md': 'x',
      '.git/config': 'x',
      'node_modules/left-pad/index.js': 'x',
      'sub/dist/out.js': 'x',
    });
    using index = await indexFolder(folder.root);
    expect(index.paths).toEqual(['.gitignore', 'kept.md']);
    expect(index.ignored).toEqual(['.git', 'a.log', 'node_modules', 'private', 'sub/dist']);
    expect(index.skips).toEqual([]);
  });

  it.each([
    { limits: { files: 2 }, paths: ['1.md', '2.md'], skip: { path: '3.md', reason: 'limit-reached' } },
    { limits: { totalBytes: 9 }, paths: ['1.md', '2.md'], skip: { path: '3.md', reason: 'limit-reached' } },
    { limits: { entries: 1 }, paths: ['1.md'], skip: { path: '2.md', reason: 'limit-reached' } },
    { limits: { fileBytes: 3 }, paths: [], skip: { path: '1.md', reason: 'too-large' } },
    { limits: { depth: 1 }, paths: ['1.md', '2.md', '3.md'], skip: { path: 'a/b', reason: 'too-deep' } },
  ])('stops at $limits and reports where', async ({ limits, paths, skip }) => {
    using folder = createTempFolder({ '1.md': 'four', '2.md': 'four', '3.md': 'four', 'a/b/4.md': 'four' });
    using index = await indexFolder(folder.root, { limits });
    expect(index.paths).toEqual(paths);
    expect(index.skips[0]).toEqual(skip);
  });

  it('reports progress after each file', async () => {
    using folder = createTempFolder({ 'a.md': 'one', 'b.md': 'three' });
    const seen: IndexProgress[] = [];
    using index = await indexFolder(folder.root, { onProgress: (progress) => seen.push(progress) });
    expect(index.bytes).toBe(8);
    expect(seen).toEqual([
      { files: 1, bytes: 3, path: 'a.md' },
      { files: 2, bytes: 8, path: 'b.md' },
    ]);
  });

  it('stops when it is aborted', async () => {
    using folder = createTempFolder({ 'a.md': 'one', 'b.md': 'two', 'c.md': 'three' });
    const abort = new AbortController();
    const reason = new Error('enough');
    const seen: string[] = [];
    const onProgress = ({ path }: IndexProgress) => {
      seen.push(path);
      abort.abort(reason);
    };
    await expect(indexFolder(folder.root, { signal: abort.signal, onProgress })).rejects.toBe(reason);
    expect(seen).toEqual(['a.md']);
  });

  it('can be closed twice and rejects searches afterwards', async () => {
    using folder = createTempFolder({ 'a.md': 'one' });
    const index = await indexFolder(folder.root);
    index.close();
    index.close();
    expect(() => index.search('one')).toThrow();
  });

  it('finds nothing in an empty folder', async () => {
    using folder = createTempFolder();
    using index = await indexFolder(folder.root);
    expect(index.search('anything')).toMatchObject({ matched: 'none', total: 0, hits: [] });
  });
});

describe('a folder that cannot be used', () => {
  it.each([
    { path: 'nowhere', code: 'missing', says: /There is no such folder: ".*nowhere"\. Check/ },
    { path: 'no\0where', code: 'missing', says: /There is no such folder/ },
    { path: 'file.txt', code: 'not-a-folder', says: /This is not a folder: ".*file\.txt"\. Name/ },
    { path: 'file.txt/deeper', code: 'not-a-folder', says: /This is not a folder/ },
  ])('gives one error with a code and one line: $code, $says', async ({ path, code, says }) => {
    using folder = createTempFolder({ 'file.txt': 'x' });
    const error: unknown = await indexFolder(folder.at(path)).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(WorkspaceError);
    expect(error).toMatchObject({ code, message: expect.stringMatching(says) });
    expect(String(error)).not.toContain('\n');
  });

  it('is also an error if it cannot be listed', { tags: ['unix'] }, async () => {
    using folder = createTempFolder();
    chmodSync(folder.root, 0o755);
    mkdirSync(folder.at('closed'));
    writeFileSync(folder.at('closed/file.txt'), 'x');
    chmodSync(folder.at('closed'), 0o000);
    const error: unknown = await runAsOrdinaryUser(() =>
      indexFolder(folder.at('closed')).catch((reason: unknown) => reason),
    );
    expect(error).toMatchObject({ name: 'WorkspaceError', code: 'unreadable' });
    chmodSync(folder.at('closed'), 0o755);
  });

  it('has no control characters of its name in the message', async () => {
    const error: unknown = await indexFolder('no\u001b[31m\nwhere').catch((reason: unknown) => reason);
    expect(String(error)).not.toContain('\n');
    expect(String(error)).not.toContain('\u001b');
  });
});
