import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './source-files.ts';

/** A generated file of the project; `path` is counted from its root. */
export type Page = { readonly path: string; readonly text: string };

export function writePages(pages: readonly Page[]): void {
  for (const { path, text } of pages) writeFileSync(join(root, path), text);
}

/** The pages that are not on disk as they are now generated. */
export function stalePages(pages: readonly Page[]): readonly Page[] {
  return pages.filter(({ path, text }) => {
    const file = join(root, path);
    return !existsSync(file) || readFileSync(file, 'utf8') !== text;
  });
}
