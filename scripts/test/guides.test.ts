import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { codeBlocks } from '../checks/markdown.ts';
import { filesUnder, root } from '../source-files.ts';

const cache = mkdtempSync(join(tmpdir(), 'pawl-guides-'));
afterAll(() => rmSync(cache, { recursive: true, force: true }));

/**
 * Follows a page to the letter. A block of TypeScript whose first line names a file is written to it. A block of `sh` is run: each line
 * of the block of `text` after it must be in what it prints, in that order, where `…` stands for anything; without one it must end well.
 * What needs a person or a network is a `console` block and is not run.
 */
function follow(page: string, folder: string): readonly string[] {
  const blocks = codeBlocks(readFileSync(join(root, page), 'utf8'));
  return blocks.flatMap(({ language, text, line }, index) => {
    const file = /^\/\/ (\S+\.ts)\n/.exec(text)?.[1];
    if (language === 'ts' && file !== undefined) writeFileSync(join(folder, file), text);
    if (language !== 'sh') return [];
    const { printed, code } = run(text, folder);
    const next = blocks[index + 1];
    const isWell = next?.language === 'text' || code === 0;
    const faults = next?.language === 'text' ? missing(next.text, printed) : [];
    return [...(isWell ? [] : [`ends with ${code}:\n${printed}`]), ...faults].map(
      (each) => `${page}:${line} ${each}`,
    );
  });
}

function run(script: string, folder: string): { readonly printed: string; readonly code: number | null } {
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
      timeout: 60_000,
      env: {
        WHERE: where,
        PATH: [join(root, 'node_modules', '.bin'), process.env.PATH ?? ''].join(delimiter),
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
function missing(expected: string, printed: string): readonly string[] {
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

describe('the guides and the how-to pages', () => {
  const guides = filesUnder('docs/guides').filter((path) => path.endsWith('.md'));

  it('is one for each way to use Pawl', () => {
    expect(guides).toEqual(['docs/guides/command.md', 'docs/guides/governor.md', 'docs/guides/library.md']);
  });

  it.each([...guides, ...filesUnder('docs/how-to')])(
    '%s works when it is followed to the letter',
    { timeout: 240_000 },
    (page) => {
      // Below the project, so that its packages are found.
      mkdirSync(join(root, '.test-results'), { recursive: true });
      const folder = mkdtempSync(join(root, '.test-results', 'guide-'));
      try {
        expect(follow(page, folder)).toEqual([]);
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    },
  );

  it('notices a line that is not printed, and one that comes too early', () => {
    expect(missing('b…\n\na', 'a\nb and c\n')).toEqual([expect.stringContaining('does not print: a')]);
    expect(missing('a\nb … c', 'a\nb and c\n')).toEqual([]);
  });
});
