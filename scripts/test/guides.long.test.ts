import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { parseCodeBlocks } from '../checks/markdown.ts';
import { listProjectFiles, repositoryRoot } from '../source-files.ts';

/** Windows has no sh. */
const describeOnUnix = describe.skipIf(process.platform === 'win32');

const cache = mkdtempSync(join(tmpdir(), 'pawl-guides-'));
afterAll(() => rmSync(cache, { recursive: true, force: true }));

/**
 * Follows a page to the letter. A block of TypeScript whose first line names a file is written to it. A block of `sh` is run: each line
 * of the block of `text` after it must be in what it prints, in that order, where `…` stands for anything; without one it must end well.
 * What needs a person or a network is a `console` block and is not run.
 */
function followGuide(page: string, folder: string): readonly string[] {
  const blocks = parseCodeBlocks(readFileSync(join(repositoryRoot, page), 'utf8'));
  return blocks.flatMap(({ language, text, line }, index) => {
    const file = /^\/\/ (\S+\.ts)\n/.exec(text)?.[1];
    if (language === 'ts' && file !== undefined) writeFileSync(join(folder, file), text);
    if (language !== 'sh') return [];
    const { printed, code } = runShellBlock(text, folder);
    const next = blocks[index + 1];
    const isWell = next?.language === 'text' || code === 0;
    const faults = next?.language === 'text' ? findMissingLines(next.text, printed) : [];
    return [...(isWell ? [] : [`ends with ${code}:\n${printed}`]), ...faults].map(
      (each) => `${page}:${line} ${each}`,
    );
  });
}

function runShellBlock(
  script: string,
  folder: string,
): { readonly printed: string; readonly code: number | null } {
  const inside = (name: string): string => join(folder, '.home', name);
  mkdirSync(inside('user'), { recursive: true });
  // Whoever follows a page is still where the last block left them.
  const where = inside('where');
  const { stdout, status } = spawnSync(
    'sh',
    ['-c', `exec 2>&1\n${script}\ncode=$?; pwd > "$WHERE"; exit $code`],
    {
      cwd: existsSync(where) ? readFileSync(where, 'utf8').trim() : folder,
      encoding: 'utf8',
      env: {
        WHERE: where,
        PATH: [join(repositoryRoot, 'node_modules', '.bin'), process.env.PATH ?? ''].join(delimiter),
        HOME: inside('user'),
        XDG_DATA_HOME: inside('data'),
        XDG_CONFIG_HOME: inside('config'),
        // What was compiled for one page need not be compiled again for the next.
        XDG_CACHE_HOME: cache,
        NODE_COMPILE_CACHE: join(cache, 'node'),
      },
    },
  );
  return { printed: stdout, code: status };
}

/** The lines that are not there, or not after those before them. */
function findMissingLines(expected: string, printed: string): readonly string[] {
  const faults: string[] = [];
  let rest = printed;
  for (const line of expected.split('\n').filter((each) => each.trim() !== '')) {
    const parts = line
      .trim()
      .split('…')
      .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`));
    const found = new RegExp(parts.join('.*')).exec(rest);
    if (found === null) faults.push(`does not print: ${line.trim()}\nin what is left of it:\n${rest}`);
    else rest = rest.slice(found.index + found[0].length);
  }
  return faults;
}

describeOnUnix('the guides and the how-to pages', () => {
  const guides = listProjectFiles('docs/guides').filter((path) => path.endsWith('.md'));

  it('is one for each way to use Pawl', () => {
    expect(guides).toEqual(['docs/guides/command.md', 'docs/guides/governor.md', 'docs/guides/library.md']);
  });

  it.each([...guides, ...listProjectFiles('docs/how-to')])(
    '%s works when it is followed to the letter',
    (page) => {
      // Below the project, so that its packages are found.
      mkdirSync(join(repositoryRoot, '.test-results'), { recursive: true });
      const folder = mkdtempSync(join(repositoryRoot, '.test-results', 'guide-'));
      try {
        expect(followGuide(page, folder)).toEqual([]);
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    },
  );

  it('notices a line that is not printed, and one that comes too early', () => {
    expect(findMissingLines('b…\n\na', 'a\nb and c\n')).toEqual([
      expect.stringContaining('does not print: a'),
    ]);
    expect(findMissingLines('a\nb … c', 'a\nb and c\n')).toEqual([]);
  });
});
