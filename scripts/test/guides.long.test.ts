import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { startRedis } from '../../packages/worker/test/redis-server.ts';
import { parseCodeBlocks } from '../checks/markdown.ts';
import { listProjectFiles, repositoryRoot } from '../source-files.ts';

const cache = mkdtempSync(join(tmpdir(), 'pawl-guides-'));
afterAll(() => rmSync(cache, { recursive: true, force: true }));

type PageEnvironment = { readonly [name: string]: string };

/**
 * Runs all steps of a page. A TypeScript block whose first line names a file is written to that file. An `sh` block is run: its output
 * must contain each line of the `text` block after it, in order, where `…` matches any text; without a `text` block it must exit with 0.
 * Steps that need a person or a network are `console` blocks and are not run.
 */
function runPageSteps(page: string, folder: string, environment: PageEnvironment = {}): readonly string[] {
  const blocks = parseCodeBlocks(readFileSync(join(repositoryRoot, page), 'utf8'));
  return blocks.flatMap(({ language, text, line }, index) => {
    const file = /^\/\/ (\S+\.ts)\n/.exec(text)?.[1];
    if (language === 'ts' && file !== undefined) writeFileSync(join(folder, file), text);
    if (language !== 'sh') return [];
    const { printed, code } = runShellBlock(text, folder, environment);
    const next = blocks[index + 1];
    const isSuccess = next?.language === 'text' || code === 0;
    const faults = next?.language === 'text' ? findMissingLines(next.text, printed) : [];
    return [...(isSuccess ? [] : [`exits with ${code}:\n${printed}`]), ...faults].map(
      (each) => `${page}:${line} ${each}`,
    );
  });
}

function runShellBlock(
  script: string,
  folder: string,
  environment: PageEnvironment,
): { readonly printed: string; readonly code: number | null } {
  const inside = (name: string): string => join(folder, '.home', name);
  mkdirSync(inside('user'), { recursive: true });
  // Each block starts in the folder where the previous one ended.
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
        // Shared by all pages.
        XDG_CACHE_HOME: cache,
        NODE_COMPILE_CACHE: join(cache, 'node'),
        ...environment,
      },
    },
  );
  return { printed: stdout, code: status };
}

/** Lists the expected lines that are missing or out of order. */
function findMissingLines(expected: string, printed: string): readonly string[] {
  const faults: string[] = [];
  let rest = printed;
  for (const line of expected.split('\n').filter((each) => each.trim() !== '')) {
    const parts = line
      .trim()
      .split('…')
      .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`));
    const found = new RegExp(parts.join('.*')).exec(rest);
    if (found === null) faults.push(`does not print: ${line.trim()}\nin the rest of the output:\n${rest}`);
    else rest = rest.slice(found.index + found[0].length);
  }
  return faults;
}

/** Runs all steps of a page in a folder inside the project, so that its packages are found. */
function findPageProblems(page: string, environment: PageEnvironment = {}): readonly string[] {
  mkdirSync(join(repositoryRoot, '.test-results'), { recursive: true });
  const folder = mkdtempSync(join(repositoryRoot, '.test-results', 'guide-'));
  try {
    return runPageSteps(page, folder, environment);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

// The pages use sh.
describe('the guides and the how-to pages', { tags: ['unix'] }, () => {
  const guides = listProjectFiles('docs/guides').filter((path) => path.endsWith('.md'));

  it('has one guide for each way to use Pawl', () => {
    expect(guides).toEqual(['docs/guides/command.md', 'docs/guides/governor.md', 'docs/guides/library.md']);
  });

  it.each([...guides, ...listProjectFiles('docs/how-to')])('%s works as written', (page) => {
    expect(findPageProblems(page)).toEqual([]);
  });

  it('reports a line that is not printed or is printed too early', () => {
    expect(findMissingLines('b…\n\na', 'a\nb and c\n')).toEqual([
      expect.stringContaining('does not print: a'),
    ]);
    expect(findMissingLines('a\nb … c', 'a\nb and c\n')).toEqual([]);
  });
});

describe('the README of each package', { tags: ['unix'] }, () => {
  const readmes = readdirSync(join(repositoryRoot, 'packages')).map((name) => `packages/${name}/README.md`);
  const workerReadme = 'packages/worker/README.md';

  it.each(readmes)('%s has an install line, an example with its output, and links', (page) => {
    const text = readFileSync(join(repositoryRoot, page), 'utf8');
    const languages = parseCodeBlocks(text).map(({ language }) => language);
    expect(languages).toEqual(expect.arrayContaining(['console', 'sh', 'text']));
    expect(text).toMatch(/^npm install /m);
    expect(text).toMatch(/\n## Documentation\n\n- \[/);
  });

  it.each(readmes.filter((page) => page !== workerReadme))('%s works as written', (page) => {
    expect(findPageProblems(page)).toEqual([]);
  });

  it(`${workerReadme} works as written`, { tags: ['redis'] }, async () => {
    const redis = await startRedis();
    try {
      expect(findPageProblems(workerReadme, { REDIS_URL: redis.url })).toEqual([]);
    } finally {
      await redis.stop();
    }
  });
});
