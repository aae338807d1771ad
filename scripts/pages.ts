import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { repositoryRoot } from './source-files.ts';

/** A generated file; `path` is relative to the repository root. */
export type GeneratedPage = { readonly path: string; readonly text: string };

export function writeGeneratedPages(pages: readonly GeneratedPage[]): void {
  for (const { path, text } of pages) {
    const file = join(repositoryRoot, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}

/** Returns the pages whose content on disk differs from the generated content. */
export function findStalePages(pages: readonly GeneratedPage[]): readonly GeneratedPage[] {
  return pages.filter(({ path, text }) => {
    const file = join(repositoryRoot, path);
    return !existsSync(file) || readFileSync(file, 'utf8') !== text;
  });
}
