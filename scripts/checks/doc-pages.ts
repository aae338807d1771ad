import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { listProjectFiles, repositoryRoot } from '../source-files.ts';
import { parseCodeBlocks, type CodeBlock } from './markdown.ts';

/** The paths of all Markdown pages of the project. */
export const docPages = listProjectFiles('').filter((path) => path.endsWith('.md'));
export const readPageText = (path: string): string => readFileSync(join(repositoryRoot, path), 'utf8');

type PageCodeBlock = CodeBlock & { readonly page: string };

/** Lists the code blocks in the given languages on all pages. */
export function listPageCodeBlocks(...languages: readonly string[]): readonly PageCodeBlock[] {
  return docPages
    .flatMap((page) => parseCodeBlocks(readPageText(page)).map((block) => ({ ...block, page })))
    .filter(({ language }) => languages.includes(language));
}
