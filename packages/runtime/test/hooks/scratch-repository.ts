import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** A folder with a git repository in it, and a home folder of its own beside it. */
export type ScratchRepository = {
  readonly root: string;
  readonly home: string;
  readonly outside: string;
  put(path: string, text: string): void;
  git(...args: readonly string[]): string;
  remove(): void;
};

export function createScratchRepository(): ScratchRepository {
  const outside = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-hooks-')));
  const root = join(outside, 'repository');
  const home = join(outside, 'home');
  mkdirSync(root);
  mkdirSync(home);
  const git = (...args: readonly string[]): string =>
    execFileSync('git', args, {
      cwd: root,
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], HOME: home, ...authorEnvironment },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  git('init', '--quiet', '--initial-branch=main');
  return {
    root,
    home,
    outside,
    git,
    put(path, text) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    },
    remove: () => rmSync(outside, { recursive: true, force: true }),
  };
}

const authorEnvironment = {
  GIT_AUTHOR_NAME: 'user',
  GIT_AUTHOR_EMAIL: 'user@localhost',
  GIT_COMMITTER_NAME: 'user',
  GIT_COMMITTER_EMAIL: 'user@localhost',
};
