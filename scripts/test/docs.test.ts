import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as yaml from 'yaml';
import { describe, expect, it } from 'vitest';
import { completionTree } from '../../packages/cli/src/commands/completion-tree.ts';
import { createProgram } from '../../packages/cli/src/program.ts';
import { moduleFor } from '../checks/code-blocks.ts';
import { commandFaults } from '../checks/commands.ts';
import { anchorsIn, codeBlocks, linksIn, type CodeBlock } from '../checks/markdown.ts';
import { filesUnder, root } from '../source-files.ts';

const pages = filesUnder('').filter((path) => path.endsWith('.md'));
const textOf = (path: string): string => readFileSync(join(root, path), 'utf8');

type Placed = CodeBlock & { readonly page: string };

function blocksIn(...languages: readonly string[]): readonly Placed[] {
  return pages
    .flatMap((page) => codeBlocks(textOf(page)).map((block) => ({ ...block, page })))
    .filter(({ language }) => languages.includes(language));
}

const program = createProgram({
  io: { stdout: process.stdout, stderr: process.stderr, stdin: process.stdin },
  signal: new AbortController().signal,
  exit: () => undefined,
});

describe('the documentation', () => {
  it('has TypeScript that compiles', { timeout: 120_000 }, async () => {
    // Below the project, so that its packages are found.
    mkdirSync(join(root, '.test-results'), { recursive: true });
    const folder = mkdtempSync(join(root, '.test-results', 'docs-'));
    try {
      const files: string[] = [];
      for (const { page, line, text } of blocksIn('ts', 'typescript')) {
        // Those that name their file can import each other.
        const own = /^\/\/ (\S+\.ts)\n/.exec(text)?.[1] ?? `${line}.ts`;
        const file = join(folder, page.replaceAll(/[^\w.-]/g, '-'), own);
        mkdirSync(dirname(file), { recursive: true });
        writeFileSync(file, await moduleFor(text));
        files.push(file);
      }
      expect(files.length).toBeGreaterThan(20);
      const config = {
        extends: join(root, 'tsconfig.json'),
        compilerOptions: {
          noUnusedLocals: false,
          noUnusedParameters: false,
          lib: ['es2024', 'esnext.disposable', 'dom'],
          allowUnreachableCode: true,
        },
        include: ['**/*.ts'],
      };
      writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
      expect(compiled(folder)).toBe('');
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('has commands that there are, with flags they have', () => {
    const tree = completionTree(program);
    const faults = blocksIn('sh', 'bash', 'console').flatMap(({ page, line, text }) =>
      commandFaults(text, tree).map((fault) => `${page}:${line} ${fault}`),
    );
    expect(faults).toEqual([]);
  });

  it('has npm scripts that there are', () => {
    const { scripts } = JSON.parse(textOf('package.json')) as { readonly scripts: object };
    const named = pages
      .flatMap((page) =>
        [...textOf(page).matchAll(/npm run ([a-z:-]+)(?![a-z:-]| -w)/g)].map(
          ([, name = '']) => `${page} ${name}`,
        ),
      )
      .filter((each) => !Object.hasOwn(scripts, each.split(' ')[1] ?? ''));
    expect(named).toEqual([]);
  });

  it('has JSON and YAML that can be read', () => {
    const unreadable = blocksIn('json', 'yaml', 'jsonl')
      .filter(({ language, text }) => !canBeRead(language, text))
      .map(({ page, line }) => `${page}:${line}`);
    expect(unreadable).toEqual([]);
  });

  it('has a map on which every page of docs stands once', () => {
    const listed = linksIn(textOf('docs/README.md')).map((target) => join('docs', target));
    const told = new Set(listed);
    const there = pages.filter(
      (page) => page.startsWith('docs/') && page !== 'docs/README.md' && !/^docs\/decisions\/\d/.test(page),
    );
    expect(there.filter((page) => !told.has(page))).toEqual([]);
    expect(listed.filter((page, index) => listed.indexOf(page) !== index)).toEqual([]);
  });

  it('has links that lead somewhere', () => {
    const broken = pages.flatMap((page) =>
      linksIn(textOf(page))
        .filter((target) => !/^[a-z]+:/.test(target) && !leads(page, target))
        .map((target) => `${page}: ${target}`),
    );
    expect(broken).toEqual([]);
  });
});

function canBeRead(language: string, text: string): boolean {
  let rest = '';
  // A line of JSON Lines may be shown on several.
  for (const line of language === 'jsonl' ? text.split('\n') : [text]) {
    rest += `${line}\n`;
    try {
      if (language === 'yaml') yaml.parse(rest);
      else JSON.parse(rest);
      rest = '';
    } catch {
      continue;
    }
  }
  return rest === '';
}

function compiled(folder: string): string {
  try {
    execFileSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', folder], {
      encoding: 'utf8',
      stdio: 'pipe',
    });
    return '';
  } catch (error) {
    return String((error as { readonly stdout?: string }).stdout ?? error);
  }
}

function leads(page: string, target: string): boolean {
  const [file = '', anchor] = target.split('#');
  const path = file === '' ? page : join(dirname(page), decodeURI(file));
  if (!existsSync(join(root, path))) return false;
  return anchor === undefined || !path.endsWith('.md') || anchorsIn(textOf(path)).has(anchor);
}
