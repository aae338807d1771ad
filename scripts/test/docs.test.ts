import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as yaml from 'yaml';
import { describe, expect, it } from 'vitest';
import { buildCompletionTree } from '../../packages/cli/src/commands/completion/tree.ts';
import { createProgram } from '../../packages/cli/src/program.ts';
import { findCommandProblems } from '../checks/commands.ts';
import { listAnchors, listLinks } from '../checks/markdown.ts';
import { listPageCodeBlocks, docPages, readPageText } from '../checks/doc-pages.ts';
import { repositoryRoot } from '../source-files.ts';

const program = await createProgram({
  io: { stdout: process.stdout, stderr: process.stderr, stdin: process.stdin },
  signal: new AbortController().signal,
  exit: () => undefined,
});

describe('the documentation', () => {
  it('uses only existing commands and flags', () => {
    const tree = buildCompletionTree(program);
    const problems = listPageCodeBlocks('sh', 'bash', 'console').flatMap(({ page, line, text }) =>
      findCommandProblems(text, tree).map((problem) => `${page}:${line} ${problem}`),
    );
    expect(problems).toEqual([]);
  });

  it('uses only existing npm scripts', () => {
    const { scripts } = JSON.parse(readPageText('package.json')) as { readonly scripts: object };
    const named = docPages
      .flatMap((page) =>
        [...readPageText(page).matchAll(/npm run ([a-z:-]+)(?![a-z:-]| -w)/g)].map(
          ([, name = '']) => `${page} ${name}`,
        ),
      )
      .filter((each) => !Object.hasOwn(scripts, each.split(' ')[1] ?? ''));
    expect(named).toEqual([]);
  });

  it('contains only JSON and YAML that parses', () => {
    const unreadable = listPageCodeBlocks('json', 'yaml', 'jsonl')
      .filter(({ language, text }) => !isParseable(language, text))
      .map(({ page, line }) => `${page}:${line}`);
    expect(unreadable).toEqual([]);
  });

  it('lists every page of docs once in its index', () => {
    const listed = listLinks(readPageText('docs/README.md')).map((target) => join('docs', target));
    const expected = docPages.filter(
      (page) => page.startsWith('docs/') && page !== 'docs/README.md' && !/^docs\/decisions\/\d/.test(page),
    );
    expect(expected.filter((page) => !listed.includes(page))).toEqual([]);
    expect(listed.filter((page, index) => listed.indexOf(page) !== index)).toEqual([]);
  });

  it('has no broken links', () => {
    const broken = docPages.flatMap((page) =>
      listLinks(readPageText(page))
        .filter((target) => !/^[a-z]+:/.test(target) && !isLinkValid(page, target))
        .map((target) => `${page}: ${target}`),
    );
    expect(broken).toEqual([]);
  });
});

function isParseable(language: string, text: string): boolean {
  let rest = '';
  // A line of JSON Lines may be wrapped.
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

function isLinkValid(page: string, target: string): boolean {
  const [file = '', anchor] = target.split('#');
  const path = file === '' ? page : join(dirname(page), decodeURI(file));
  if (!existsSync(join(repositoryRoot, path))) return false;
  return anchor === undefined || !path.endsWith('.md') || listAnchors(readPageText(path)).has(anchor);
}
